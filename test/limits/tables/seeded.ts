/** A change of code that keeps a limit without a constant, and the tests that fail after it. */
export interface SeededMutant {
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  held: readonly string[];
}

/** A use of a limit at which no test can tell another value, with the reason. */
export interface ListedSurvivor {
  limit: string;
  file: string;
  /** The beginning of the change of the mutant; every change if it is not set. */
  change?: string;
  why: string;
}

export const listedSurvivors: readonly ListedSurvivor[] = [
  {
    limit: "MAX_FULL_NAME_BYTES",
    file: "src/reports/rendering/images/resolve.ts",
    why: "A longer path is not looked up, and it could not be found.",
  },
  {
    limit: "UPLOAD_LIFETIME_MS",
    file: "src/cameras/limits.ts",
    why: "It defines OPERATION_LIFETIME_MS, whose number docs/reference/limits.md holds.",
  },
  {
    limit: "TRANSFER_GRACE_MS",
    file: "src/cameras/limits.ts",
    why: "It is a part of LEFTOVER_GRACE_MS, which has a row.",
  },
  {
    limit: "MIN_PASSCODE_LENGTH",
    file: "src/cameras/shares/passcode.ts",
    change: "- 1",
    why: "A passcode of five characters is a repetition of itself, which is refused too.",
  },
  ...["MAX_WORDS", "MAX_BODY_WORDS"].map((limit) => ({
    limit,
    file: "src/search/ranking/postings.ts",
    why: "It decides the bits of a code, and one word more or less needs as many.",
  })),
  {
    limit: "VERIFICATION_GRACE_MS",
    file: "src/cameras/limits.ts",
    why: "It is a part of GIVEN_UP_AFTER_MS, which has a row.",
  },
  {
    limit: "ADMISSION_WINDOW_MS",
    file: "src/cameras/ingestion/admit.ts",
    change: "> → >= in line",
    why: "A time at the boundary is stored once more, or read for a refusal that it does not cause; the guard compares again.",
  },
  {
    limit: "LEFTOVER_GRACE_MS",
    file: "src/cameras/capture-rows.ts",
    change: "> → >=",
    why: "At the boundary the objects are deleted once more.",
  },
  {
    limit: "IDEMPOTENCY_RETENTION_MS",
    file: "src/platform/http/idempotency.ts",
    change: "<= → < in line 150",
    why: "It is the mark of a request whose answer was lost. The comparison that refuses the former answer is proven.",
  },
  {
    limit: "PAIRING_CODE_LIFETIME_MS",
    file: "src/cameras/pairing/pairing.ts",
    change: "lte → lt",
    why: "It is the end of ENDED_CODE_RETENTION, whose row turns the same comparison.",
  },
  {
    limit: "STAGING_RETENTION_MS",
    file: "src/cameras/ingestion/clean.ts",
    change: "<= → <",
    why: "The bucket has its own clock for the times of its objects, which no test can stop.",
  },
  {
    limit: "MAX_TOKEN_LENGTH",
    file: "src/documents/extraction/xml.ts",
    change: "> → >=",
    why: "Text is counted in pieces of 64 KiB.",
  },
  {
    limit: "CAPTURE_LIMITS.maxPixels",
    file: "src/cameras/limits.ts",
    why: "It defines MAX_PICTURE_PIXELS, which has a row.",
  },
  {
    limit: "MAX_PATH_CHARACTERS",
    file: "src/reports/templates/template.ts",
    change: "+ 1",
    why: "readFieldPath, which is called next, refuses a longer path too.",
  },
  {
    limit: "MAX_PASSAGES_PER_SECTION",
    file: "src/documents/versions/versions.ts",
    why: "It keeps a statement from reading earlier sections. The next condition is exact, and the margin is more than one passage.",
  },
  {
    limit: "MAX_DIRECTORY_BYTES",
    file: "src/documents/extraction/compound/compound.ts",
    change: "+ 1",
    why: "The directory of a compound file has whole sectors.",
  },
  {
    limit: "MAX_PDF_STREAM_BYTES",
    file: "src/documents/extraction/formats/pdf-objects.ts",
    why: "screenPdf, which runs first, refuses larger streams.",
  },
  {
    limit: "MIN_SCANNED_PIXELS",
    file: "src/documents/extraction/formats/pdf-screen.ts",
    change: "+ 1",
    why: "It stands for the unknown size of a picture, and more pixels are a scan too.",
  },
  {
    limit: "MAX_PDF_PAGE_TEXT_LENGTH",
    file: "src/documents/recognition/recognizer.ts",
    change: "+ 1",
    why: "The page in the browser cuts its text by the same number, so no longer text arrives.",
  },
  {
    limit: "MIN_PAGE_CONFIDENCE",
    file: "src/documents/recognition/recognizer.ts",
    why: "It decides whether a page is read once more upside down. The better of the two readings counts in any case.",
  },
  {
    limit: "MAX_NEGOTIATION_AGE_MS",
    file: "src/hub/routes.ts",
    why: "It decides whether the Worker or the shard looks up a credential. The answer is the same.",
  },
  {
    limit: "MAX_WORD_SUGGESTIONS",
    file: "src/search/suggestions.ts",
    change: "- 1",
    why: "At most five titles are suggested, so ten suggestions have room for as many words.",
  },
  {
    limit: "INTERVALS_UNTIL_SILENT",
    file: "src/cameras/archive/last-day.ts",
    change: "- 1",
    why: "Images are looked up at more borders of the day, and a gap still needs its least length.",
  },
];

export const seededMutants: readonly SeededMutant[] = [
  {
    file: "src/uploads/quota.ts",
    from: "bytes * 100 >= limit * percent",
    to: "bytes * 100 > limit * percent",
    held: ["limits/effects.test.ts > a share of the storage limit is announced when it is reached exactly"],
  },
  {
    file: "src/workspace/grants/grants.ts",
    from: "given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc",
    to: "given.expiresAtUtc ?? row.expiresAt",
    held: ["limits/effects.test.ts > null removes the end of a grant, a link and a token"],
  },
  {
    file: "src/cameras/shares/links.ts",
    from: "given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc",
    to: "given.expiresAtUtc ?? row.expiresAt",
    held: ["limits/effects.test.ts > null removes the end of a grant, a link and a token"],
  },
  {
    file: "src/cameras/shares/links.ts",
    from: "given.showUntilUtc === undefined ? row.shownUntil : given.showUntilUtc",
    to: "given.showUntilUtc ?? row.shownUntil",
    held: ["limits/effects.test.ts > null removes the end of a grant, a link and a token"],
  },
  {
    file: "src/cameras/shares/links.ts",
    from: "given.showFromUtc === undefined ? row.shownFrom : given.showFromUtc",
    to: "given.showFromUtc ?? row.shownFrom",
    held: ["limits/effects.test.ts > null removes the end of a grant, a link and a token"],
  },
  {
    file: "src/access/tokens/tokens.ts",
    from: "expiresAt === undefined ? {} : { expiresAt }",
    to: "expiresAt == null ? {} : { expiresAt }",
    held: ["limits/effects.test.ts > null removes the end of a grant, a link and a token"],
  },
  {
    file: "src/notifications/record.ts",
    from: "if (userIds.length === 0) return { notifications: [], next };",
    to: "if (userIds.length === 0) return { notifications: [], next: null };",
    held: ["limits/effects.test.ts > a page of an audience in which nobody may read does not end the announcement"],
  },
];
