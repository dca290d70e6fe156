import { list, number } from "../../platform/languages/es";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  names: (shown, more) => list(shown) + (more > 0 ? ` y ${number(more)} más` : ""),
  offline: (cameras) =>
    cameras === 1
      ? "Una cámara está callada: no se sabe nada de ella"
      : `${number(cameras)} cámaras están calladas: no se sabe nada de ellas`,
  noImages: (cameras) =>
    cameras === 1
      ? "Una cámara está callada: no envía imágenes"
      : `${number(cameras)} cámaras están calladas: no envían imágenes`,
  back: (cameras) => (cameras === 1 ? "Una cámara ha vuelto" : `${number(cameras)} cámaras han vuelto`),
  at: (location, cameras) => `${location}: ${cameras}`,
  because: (cameras, fault) => `${cameras}. ${fault}`,
  exportReady: "Una exportación está lista para descargar",
  rejected: "Una cámara envió una imagen que se rechazó",
  rejectedBecause: (camera, reason) => `${camera}: ${reason}`,
};

export const FAULTS: typeof first.FAULTS = {
  byCode: {
    "camera-failed": "La cámara no da ninguna imagen.",
    "camera-frozen": "La cámara repite una imagen.",
    "camera-open-failed": "El dispositivo no puede abrir su cámara.",
    "camera-timeout": "La cámara no responde a su dispositivo.",
    "camera-unauthorized": "La cámara rechaza la contraseña de su dispositivo.",
    "camera-unreachable": "El dispositivo no llega a su cámara.",
    "captures-refused": "El servicio rechazó imágenes del dispositivo.",
    "clock-unsynchronized": "El dispositivo no sabe la hora.",
    "credential-revoked": "El dispositivo ya no tiene acceso. Emparéjelo de nuevo.",
    "disk-full": "El disco del dispositivo está lleno.",
    "disk-read-only": "No se puede escribir en el disco del dispositivo.",
    "folder-unreadable": "El dispositivo no puede leer la carpeta de sus imágenes.",
    "frame-damaged": "Las imágenes de la cámara están dañadas.",
    "frame-normalised": "El dispositivo corrige los archivos de la cámara.",
    "frame-not-jpeg": "Los archivos de la cámara no son imágenes JPEG.",
    "frame-too-large": "Las imágenes de la cámara son demasiado grandes.",
    "frames-thinned": "El disco del dispositivo estaba lleno, y eliminó algunas imágenes.",
    "identity-shared": "Dos dispositivos usan esta identidad. Empareje cada dispositivo con su propia cámara.",
    "local-file-damaged": "El disco del dispositivo daña imágenes.",
    "receipt-mismatch": "El servicio confirmó otras imágenes que las enviadas por el dispositivo.",
    "storage-full": "El almacenamiento de la organización está lleno.",
  },
  other: (code) => `El dispositivo dice: ${code}`,
};
