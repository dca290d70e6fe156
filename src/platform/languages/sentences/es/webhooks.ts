/** Sentences of the webhooks in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Send a complete address, such as https://hooks.example.com/documents.":
    "Envíe una dirección completa, por ejemplo https://hooks.example.com/documents.",
  "Send an address at port 443 or 8443.": "Envíe una dirección en el puerto 443 u 8443.",
  "Send an address of another service.": "Envíe la dirección de otro servicio.",
  "Send an address that begins with https://.": "Envíe una dirección que empiece por https://.",
  "Send an address that is public. The service does not call private, local and reserved addresses.":
    "Envíe una dirección pública. El servicio no llama a direcciones privadas, locales ni reservadas.",
  "Send an address with a public name. The service does not call local names.":
    "Envíe una dirección con un nombre público. El servicio no llama a nombres locales.",
  "Send an address without a user name and a password. Verify the signature of the requests instead.":
    "Envíe una dirección sin nombre de usuario ni contraseña. Verifique en su lugar la firma de las solicitudes.",
  "The webhook is switched off. Switch it on first.": "El webhook está desactivado. Actívelo primero.",
  "This token is restricted. Use a token without a maximum of capabilities, or sign in.":
    "Este token está restringido. Use un token sin un máximo de permisos o inicie sesión.",
  "must name each type once": "debe nombrar cada tipo una sola vez",
};
