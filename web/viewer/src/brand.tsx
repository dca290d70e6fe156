import { useEffect, useState } from "preact/hooks";
import type { SharedBrand } from "../../../client/src/index.ts";
import { showAccent } from "../../ui/accent.ts";
import type { Link } from "./link.ts";

/** The address of the logo's picture; null until it is there, and without one. */
function useLogo(link: Link, { hasLogo, revision }: SharedBrand): string | null {
  const [url, setUrl] = useState<string | null>(null);
  // A logo that did not come is asked for again when the service is back.
  const isReached = link.trouble.value === null;
  useEffect(() => {
    let isWanted = hasLogo && isReached;
    const show = (picture: Blob | null) => {
      if (isWanted) setUrl(picture === null ? null : URL.createObjectURL(picture));
    };
    if (isWanted) link.logo().then(show, () => undefined);
    else if (!hasLogo) setUrl(null);
    return () => {
      isWanted = false;
    };
  }, [link, hasLogo, revision, isReached]);
  useEffect(() => {
    if (url !== null) return () => URL.revokeObjectURL(url);
  }, [url]);
  return url;
}

/** The line of the organization that shares the cameras: its logo and its name, in its colour. */
export function Brand({ link, brand }: { link: Link; brand: SharedBrand }) {
  const logo = useLogo(link, brand);
  useEffect(() => {
    showAccent(brand.primaryColor);
    return () => showAccent(null);
  }, [brand.primaryColor]);
  return (
    <p class="brand">
      {logo !== null && <img src={logo} alt="" />}
      <b title={brand.name}>{brand.name}</b>
    </p>
  );
}
