# Intervals by person beside those of R's survey package, which Debian brings.
install_survey_package() {
  if ! command -v Rscript >/dev/null || ! Rscript -e 'library(survey)' >/dev/null 2>&1; then
    command -v apt-get >/dev/null || return 1
    apt-get update -qq && apt-get install -y -qq --no-install-recommends r-cran-survey >/dev/null || return 1
  fi
  Rscript -e 'library(survey)' >/dev/null 2>&1 || return 2
}
extra "intervals beside those of R's survey package" statistics install_survey_package
