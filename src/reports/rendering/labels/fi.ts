import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Sisällys",
  date: "Päivämäärä",
  preparedBy: "Laatija",
  revision: "Versio",
  page: ["Sivu ", " / "],
  yes: "Kyllä",
  no: "Ei",
  done: "Valmis",
  open: "Avoin",
  footnotes: "Alaviitteet",
  backToReference: "Takaisin viitteeseen {0}",
  name: "Nimi",
  place: "Paikka",
  signature: "Allekirjoitus",
  pictureMissing: "Kuva puuttuu",
  reasons: {
    "not-found": "Kuvaa ei ole täällä, tai sinulla ei ole siihen oikeutta.",
    "not-a-picture": "Asiakirja ei ole JPEG-, PNG- tai WebP-kuva.",
    damaged: "Kuvatiedosto on vioittunut.",
    "too-large": "Kuva on liian suuri.",
    "too-many": "Raportissa on liikaa tai liian suuria kuvia.",
    "being-prepared": "Kuvaa valmistellaan.",
  },
};
