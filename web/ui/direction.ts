/** The step that an arrow key means in the reading direction of the page: 1 to the next, -1 to the previous; null for other keys. */
export function stepOf(key: string): 1 | -1 | null {
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  return (key === "ArrowRight") === (document.dir !== "rtl") ? 1 : -1;
}
