/* Scripts that tests run in the page of a share link. */

/** Records each different state of the drawn page: the picture by its red value, the time, the words, the address. */
export const WATCH = `(() => {
  const looks = (window.looks = []);
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const look = () => {
    requestAnimationFrame(look);
    const picture = document.querySelector(".stage .picture");
    if (picture === null || !picture.complete) return;
    pen.drawImage(picture, 0, 0, 1, 1);
    const [at] = location.hash.split("/").slice(2);
    const time = document.querySelector(".moment time");
    const slider = document.querySelector("[role=slider]");
    const words = [...time.children].map((part) => picture.alt.includes(part.textContent));
    const texts = [...words, slider.getAttribute("aria-valuetext") === picture.alt];
    const next = JSON.stringify({ red: pen.getImageData(0, 0, 1, 1).data[0], at, time: time.dateTime, texts });
    if (looks.at(-1) !== next) looks.push(next);
  };
  look();
})()`;

/** The parts of the page that people can reach. Runs in the page. */
export const LAYOUT = `(() => {
  const tabs = [...document.querySelectorAll(".cams [role=tab]")];
  const isReached = (tab) => {
    tab.scrollIntoView({ block: "nearest" });
    const { left, right, top, bottom } = tab.getBoundingClientRect();
    const isInside = left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    return isInside && tab.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  const { width, height } = document.querySelector(".stage").getBoundingClientRect();
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    outOfReach: tabs.filter((tab) => !isReached(tab)).map((tab) => tab.textContent),
    frame: { isWide: width === innerWidth, isHigh: height >= innerHeight / 4 },
  };
})()`;
