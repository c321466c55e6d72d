# Prints as CSV what R's survey package makes of each set of answers, with people as clusters.
# Classes of runs are known by their sizes: the mean is that of the poststratified design.
# Arguments: a CSV of answers (set, person, value, class, runs of the class) and one of our effective numbers of answers (set, effective).
suppressPackageStartupMessages(library(survey))
files <- commandArgs(trailingOnly = TRUE)
answers <- read.csv(files[1])
ours <- read.csv(files[2])

figures <- lapply(unique(answers$set), function(name) {
  own <- answers[answers$set == name, ]
  n <- nrow(own)
  design <- svydesign(ids = ~person, weights = ~1, data = own)
  freedom <- degf(design)
  estimate <- svymean(~value, design, deff = "replace")
  interval <- confint(estimate, df = freedom)
  ratio <- (qt(0.975, n - 1) / qt(0.975, freedom))^2
  # Ours divides by n - 1 where the package divides by n.
  effective <- ours$effective[ours$set == name] * (n - 1) / n
  sizes <- unique(own[c("class", "runs")])
  names(sizes)[2] <- "Freq"
  post <- svymean(~value, postStratify(design, ~class, sizes))
  # Variance of as many independent answers with these weights.
  weight <- own$runs / ave(own$runs, own$class, FUN = length)
  independent <- sum(weight * (own$value - coef(post))^2) / sum(weight) / (n - 1)
  beta <- from_ours <- c(NA, NA)
  if (all(own$value %in% c(0, 1))) {
    hits <- effective * mean(own$value)
    beta <- confint(svyciprop(~I(value == 1), design, method = "beta"))
    from_ours <- c(qbeta(0.025, hits, effective - hits + 1), qbeta(0.975, hits + 1, effective - hits))
  }
  data.frame(
    set = name, answers = n, freedom = freedom, mean = coef(estimate), effect = deff(estimate), ratio = ratio,
    low = interval[1], high = interval[2], betaLow = beta[1], betaHigh = beta[2],
    ourLow = from_ours[1], ourHigh = from_ours[2], postMean = coef(post), postEffect = SE(post)[1]^2 / independent
  )
})
options(digits = 15)
write.csv(do.call(rbind, figures), row.names = FALSE, quote = FALSE)
