import encodeQR from "qr";

/** A QR code of a text. */
export default function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw", { border: 1 });
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
