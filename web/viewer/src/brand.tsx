import { useEffect, useState } from "preact/hooks";
import type { SharedBrand } from "../../../client/src/index.ts";
import { showAccent } from "../../ui/accent.ts";
import type { Link } from "./link.ts";

/** The address of the logo's picture; null before it is loaded, and without a logo. */
function useLogo(link: Link, { hasLogo, revision }: SharedBrand): string | null {
  const [url, setUrl] = useState<string | null>(null);
  // A logo that did not arrive is requested again when the service is reachable.
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

/** The header with the logo and the name of the organization that shares the cameras, in its colour. */
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
