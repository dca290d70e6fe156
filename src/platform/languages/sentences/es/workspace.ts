/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A grant on a document must have exactly one capability: Documents, at Read or Write.":
    "El permiso de un documento debe tener exactamente un derecho: Documents, con Read o Write.",
  "A location moves only between clusters of the same workspace.":
    "Un sitio solo se mueve entre grupos del mismo espacio de trabajo.",
  "A person registers with this invitation now. Try again in a minute.":
    "Una persona se está registrando con esta invitación. Inténtelo de nuevo en un minuto.",
  "A token cannot delete the account. Sign in first.": "Un token no puede eliminar la cuenta. Inicie sesión primero.",
  "An owner has no overrides. Send `overrides` as {}, or another role.":
    "Un propietario no tiene excepciones. Envíe `overrides` como {}, u otro rol.",
  "Files arrived in the meantime.": "Entretanto han llegado archivos.",
  "In an organization, only owners and admins who may edit this resource can share it. In a personal workspace, only its owner can.":
    "En una organización, solo los propietarios y admins que pueden editar esto pueden compartirlo. En un espacio personal, solo su propietario.",
  "It is not in the trash, so you cannot restore it.": "No está en la papelera, así que no puede restaurarlo.",
  "It was restored in the meantime, or its removal has begun.":
    "Se ha restaurado entretanto, o su eliminación ha comenzado.",
  "It was restored or purged in the meantime, or its recovery window has ended. List the trash again.":
    "Se ha restaurado o eliminado definitivamente entretanto, o su plazo ha terminado. Vuelva a leer la papelera.",
  "Its cluster is deleted. Restore that first: POST /v1/spatial/clusters/{0}/restore.":
    "Su grupo está eliminado. Restáurelo primero: POST /v1/spatial/clusters/{0}/restore.",
  "Its cluster or location was deleted in the meantime. Restore that first.":
    "Su grupo o su sitio se ha eliminado entretanto. Restáurelo primero.",
  "Its location is deleted. Restore that first: POST /v1/spatial/locations/{0}/restore.":
    "Su sitio está eliminado. Restáurelo primero: POST /v1/spatial/locations/{0}/restore.",
  "No account has this address as its verified address. Share one document: that share waits for the person.":
    "Ninguna cuenta tiene esta dirección como dirección verificada. Comparta un solo documento: ese acceso espera a la persona.",
  "No account has this address as its verified address. Invite the person to an organization first.":
    "Ninguna cuenta tiene esta dirección como dirección verificada. Invite primero a la persona a una organización.",
  "No member and no user with a grant here has this id. For other people, send their e-mail address.":
    "Ningún miembro ni persona con un permiso aquí tiene este identificador. Para otras personas, envíe su dirección de correo.",
  "One of the organizations was restored in the meantime.": "Una de las organizaciones se ha restaurado entretanto.",
  "One of the resources was restored in the meantime.": "Uno de los recursos se ha restaurado entretanto.",
  "Only an administrator of the service lists all deleted organizations.":
    "Solo un administrador del servicio ve todas las organizaciones eliminadas.",
  "Only an owner may change or remove an owner.": "Solo un propietario puede cambiar o quitar a un propietario.",
  "Only an owner may delete an organization.": "Solo un propietario puede eliminar una organización.",
  "Only an owner may make an owner.": "Solo un propietario puede nombrar a un propietario.",
  "Only an owner may purge. Delete without `purge`: the resource is removed when its recovery window ends.":
    "Solo un propietario puede eliminar definitivamente. Elimine sin `purge`: se quita al final del plazo.",
  "Only an owner may change what the organization requires of a sign-in.":
    "Solo un propietario puede cambiar lo que la organización exige de un inicio de sesión.",
  "Sign in with a passkey, or with the password and a second factor, before you require it of others.":
    "Inicie sesión con una llave de acceso, o con la contraseña y un segundo factor, antes de exigirlo a los demás.",
  "must name each language once": "debe nombrar cada idioma una sola vez",
  "Only an owner may change the languages of recognition.":
    "Solo un propietario puede cambiar los idiomas del reconocimiento.",
  "Only an owner may switch the recognition of scans on or off.":
    "Solo un propietario puede activar o desactivar el reconocimiento de escaneos.",
  "Send a time in the future as expiresAtUtc.": "Envíe en expiresAtUtc un momento futuro.",
  "Send latitude and longitude together, or neither.": "Envíe la latitud y la longitud juntas, o ninguna.",
  "That cluster": "Ese grupo",
  "The organization has no owner any more, so it cannot be restored.":
    "La organización ya no tiene propietario, así que no se puede restaurar.",
  "This cluster": "Este grupo",
  "This invitation is for another address. Sign in with the account of that address.":
    "Esta invitación es para otra dirección. Inicie sesión con la cuenta de esa dirección.",
  "This invitation was used, withdrawn or has expired. Ask for a new one.":
    "Esta invitación se ha usado, retirado o ha caducado. Pida una nueva.",
  "This is already shared with that person. Change the existing grant instead.":
    "Esto ya se comparte con esa persona. Cambie el permiso existente.",
  "This is the organization's last owner. Make another member an owner first.":
    "Es el último propietario de la organización. Nombre primero propietario a otro miembro.",
  "This month's jobs are used up. Wait for the next month, or ask the operator for more.":
    "Las tareas de este mes se han agotado. Espere al próximo mes o pida más al operador.",
  "This person has the maximum number of grants. Share the location or cluster that contains these resources instead.":
    "Esta persona tiene el número máximo de permisos. Comparta el sitio o el grupo que contiene estos recursos.",
  "This person is a member already. Change their role or overrides instead.":
    "Esta persona ya es miembro. Cambie su rol o sus excepciones.",
  "This person owns {0} organizations, which is the maximum. Give them another role.":
    "Esta persona posee {0} organizaciones, que es el máximo. Asígnele otro rol.",
  "This token does not have Write of OrganizationView. Use a token that has it.":
    "Este token no tiene Write de OrganizationView. Use uno que lo tenga.",
  "This token is restricted to certain organizations. Use a token without that restriction.":
    "Este token está limitado a ciertas organizaciones. Use uno sin esa restricción.",
  "This token may not change memberships. Use one that may, or sign in.":
    "Este token no puede cambiar los miembros. Use uno que pueda o inicie sesión.",
  "This token may not revoke share links. Use one that may, or remove the member without it.":
    "Este token no puede revocar enlaces compartidos. Use uno que pueda o quite al miembro sin ello.",
  "You are the only owner of {0}. Make another member an owner there, or delete it first.":
    "Usted es el único propietario de {0}. Nombre allí propietario a otro miembro o elimínela primero.",
  "You became the only owner of an organization. Make another member an owner there, and delete the account again.":
    "Ha pasado a ser el único propietario de una organización. Nombre allí propietario a otro miembro y vuelva a eliminar la cuenta.",
  "You cannot change your own overrides. Ask another owner or admin.":
    "No puede cambiar sus propias excepciones. Pídalo a otro propietario o admin.",
  "You cannot give a higher level than you have yourself: {0}.": "No puede dar un nivel más alto que el suyo: {0}.",
  "You cannot grant a higher level than you have here yourself: {0}.":
    "No puede conceder un nivel más alto que el suyo aquí: {0}.",
  "You cannot raise your own role. Ask an owner.": "No puede elevar su propio rol. Pídalo a un propietario.",
  "You have access to this already. Name another person.": "Usted ya tiene acceso a esto. Indique otra persona.",
  "You own {0} organizations, which is the maximum. Delete one, or give one to another owner.":
    "Posee {0} organizaciones, que es el máximo. Elimine una o dé una a otro propietario.",
  "must have 1 to 64 letters, digits, dots, hyphens and underscores":
    "debe tener de 1 a 64 letras, cifras, puntos, guiones y guiones bajos",
  "name either userId or email": "indique userId o email",
  "{0} grants on this resource exist, which is the maximum. Use memberships instead.":
    "Hay {0} permisos aquí, que es el máximo. Añada miembros.",
  "{0} has reached its maximum of {1}. Delete some, or use another one.":
    "[0] ha alcanzado su máximo de {1}. Elimine algunos o use otro lugar.",
  "{0} invitations are open, which is the maximum. Withdraw some.":
    "Hay {0} invitaciones abiertas, que es el máximo. Retire algunas.",
  "{0} brings this membership, and would bring it again. Remove the person from the group there.":
    "{0} aporta esta pertenencia y la aportaría de nuevo. Quite allí a la persona del grupo.",
};
