import type { Language } from "../../src/search/text";

/** A short report in each language, and other forms of its words whose search must find it. */
export const REPORTS: Readonly<Record<Language, { text: string; asked: readonly string[] }>> = {
  english: {
    text: "The inspectors reported several cracks in the bridges that were not there before the winter.",
    asked: ["inspector", "reporting", "crack", "bridge", "winters"],
  },
  german: {
    text: "Die Prüfer haben mehrere Risse in den Pfeilern der Brücken gemeldet, die vor dem Winter nicht da waren.",
    asked: ["Prüfern", "Riss", "Pfeiler", "Brücke", "Bruecke", "Winters"],
  },
  french: {
    text: "Les inspecteurs ont signalé des fissures dans les poutres réparées, qui n'étaient pas là avant l'hiver.",
    asked: ["inspecteur", "signaler", "fissure", "poutre", "réparer", "réparé"],
  },
  spanish: {
    text: "Los inspectores comunicaron varias grietas en los puentes reparados, que no estaban antes de las inspecciones.",
    asked: ["inspector", "grieta", "puente", "reparar", "reparado", "inspección"],
  },
  italian: {
    text: "Gli ispettori hanno segnalato alcune crepe nei ponti che non erano presenti prima delle riparazioni.",
    asked: ["ispettore", "segnalare", "crepa", "ponte", "presente", "riparazione"],
  },
  dutch: {
    text: "De inspecteurs hebben scheuren in de pijlers gemeld die er voor de inspecties niet waren.",
    asked: ["inspecteur", "scheur", "pijler", "inspectie"],
  },
  swedish: {
    text: "Inspektörerna har rapporterat flera sprickor i broarna som inte fanns där före besiktningen.",
    asked: ["inspektör", "rapportera", "spricka", "sprickorna", "besiktningar"],
  },
  norwegian: {
    text: "Inspektørene har meldt om flere sprekker i bjelkene som ikke var der før kontrollene.",
    asked: ["inspektør", "sprekk", "sprekkene", "bjelke", "kontroll"],
  },
  danish: {
    text: "Inspektørerne har meldt om flere revner i bjælkerne, som ikke var der før kontrollerne af broen.",
    asked: ["inspektør", "revne", "revnerne", "bjælke", "kontroller"],
  },
  finnish: {
    text: "Tarkastajat ilmoittivat useista halkeamista palkeissa, joita ei ollut ennen talvea.",
    asked: ["tarkastaja", "tarkastajan", "halkeama", "halkeamat", "talvi", "talven"],
  },
};
