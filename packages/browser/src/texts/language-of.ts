/** The languages beside English: one file each in `translated`. */
export const translated = "ar de es fr he hi it ja ko nl pl pt sv tr uk zh".split(" ");

/** The language of a BCP 47 tag, or of a locale such as `de_DE`. Regions and scripts share its texts. */
export const languageOf = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;

export const directionOf = (language: string): "ltr" | "rtl" => (/^(ar|he)$/.test(language) ? "rtl" : "ltr");
