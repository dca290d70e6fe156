/** The name that browsers give to every picture of the clipboard. */
const CLIPBOARD_PICTURE = /^image\.(\w+)$/;

/** The files of the clipboard. A copied picture gets the time as its name, so that it is no new version of the last one. */
export function pastedFiles(files: Iterable<File>, folder: string, now: Date) {
  const time = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const stamp = time.slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return [...files].map((file) => {
    const ending = CLIPBOARD_PICTURE.exec(file.name)?.[1];
    return { file, path: folder, ...(ending !== undefined && { fileName: `${stamp}.${ending}` }) };
  });
}
