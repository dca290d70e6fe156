/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A grant on a document must have exactly one capability: Documents, at Read or Write.":
    "Le partage d’un document a exactement un droit : Documents, avec Read ou Write.",
  "A location moves only between clusters of the same workspace.":
    "Un site ne se déplace qu’entre des groupes du même espace de travail.",
  "A person registers with this invitation now. Try again in a minute.":
    "Une personne est en train de s’inscrire avec cette invitation. Réessayez dans une minute.",
  "A token cannot delete the account. Sign in first.":
    "Un jeton ne peut pas supprimer le compte. Connectez-vous d’abord.",
  "An owner has no overrides. Send `overrides` as {}, or another role.":
    "Un propriétaire n’a pas d’exceptions. Envoyez `overrides` égal à {}, ou un autre rôle.",
  "Files arrived in the meantime.": "Des fichiers sont arrivés entre-temps.",
  "In an organization, only owners and admins who may edit this resource can share it. In a personal workspace, only its owner can.":
    "Dans une organisation, seuls les propriétaires et admins qui peuvent modifier ceci peuvent le partager. Dans un espace personnel, seul son propriétaire le peut.",
  "It is not in the trash, so you cannot restore it.":
    "Ce n’est pas dans la corbeille, vous ne pouvez donc pas le restaurer.",
  "It was restored in the meantime, or its removal has begun.":
    "La restauration a eu lieu entre-temps, ou la suppression définitive a commencé.",
  "It was restored or purged in the meantime, or its recovery window has ended. List the trash again.":
    "Restauration ou suppression définitive entre-temps, ou délai de restauration terminé. Relisez la corbeille.",
  "Its cluster is deleted. Restore that first: POST /v1/spatial/clusters/{0}/restore.":
    "Son groupe est supprimé. Restaurez-le d’abord : POST /v1/spatial/clusters/{0}/restore.",
  "Its cluster or location was deleted in the meantime. Restore that first.":
    "Son groupe ou son site a été supprimé entre-temps. Restaurez-le d’abord.",
  "Its location is deleted. Restore that first: POST /v1/spatial/locations/{0}/restore.":
    "Son site est supprimé. Restaurez-le d’abord : POST /v1/spatial/locations/{0}/restore.",
  "No account has this address as its verified address. Share one document: that share waits for the person.":
    "Aucun compte n’a cette adresse comme adresse vérifiée. Partagez un seul document\u00a0: ce partage attend la personne.",
  "No account has this address as its verified address. Invite the person to an organization first.":
    "Aucun compte n’a cette adresse comme adresse vérifiée. Invitez d’abord la personne dans une organisation.",
  "No member and no user with a grant here has this id. For other people, send their e-mail address.":
    "Aucun membre ni aucune personne avec un partage ici n’a cet identifiant. Pour d’autres personnes, envoyez leur adresse e-mail.",
  "One of the organizations was restored in the meantime.": "Une des organisations a été restaurée entre-temps.",
  "One of the resources was restored in the meantime.": "Une des ressources a été restaurée entre-temps.",
  "Only an administrator of the service lists all deleted organizations.":
    "Seul un administrateur du service voit toutes les organisations supprimées.",
  "Only an owner may change or remove an owner.": "Seul un propriétaire peut modifier ou retirer un propriétaire.",
  "Only an owner may delete an organization.": "Seul un propriétaire peut supprimer une organisation.",
  "Only an owner may make an owner.": "Seul un propriétaire peut nommer un propriétaire.",
  "Only an owner may purge. Delete without `purge`: the resource is removed when its recovery window ends.":
    "Seul un propriétaire peut supprimer définitivement. Supprimez sans `purge` : la suppression définitive a lieu à la fin du délai.",
  "Only an owner may change what the organization requires of a sign-in.":
    "Seul un propriétaire peut changer ce que l’organisation exige d’une connexion.",
  "Sign in with a passkey, or with the password and a second factor, before you require it of others.":
    "Connectez-vous avec une clé d’accès, ou avec le mot de passe et un second facteur, avant de l’exiger des autres.",
  "must name each language once": "doit nommer chaque langue une seule fois",
  "Only an owner may change the languages of recognition.":
    "Seul un propriétaire peut changer les langues de la reconnaissance.",
  "Only an owner may switch the recognition of scans on or off.":
    "Seul un propriétaire peut activer ou désactiver la reconnaissance des scans.",
  "Send a time in the future as expiresAtUtc.": "Envoyez dans expiresAtUtc un moment futur.",
  "Send latitude and longitude together, or neither.":
    "Envoyez la latitude et la longitude ensemble, ou aucune des deux.",
  "That cluster": "Ce groupe-là",
  "The organization has no owner any more, so it cannot be restored.":
    "L’organisation n’a plus de propriétaire, elle ne peut donc pas être restaurée.",
  "This cluster": "Ce groupe",
  "This invitation is for another address. Sign in with the account of that address.":
    "Cette invitation est pour une autre adresse. Connectez-vous avec le compte de cette adresse.",
  "This invitation was used, withdrawn or has expired. Ask for a new one.":
    "Cette invitation a été utilisée, retirée ou a expiré. Demandez-en une nouvelle.",
  "This is already shared with that person. Change the existing grant instead.":
    "C’est déjà partagé avec cette personne. Modifiez plutôt le partage existant.",
  "This is the organization's last owner. Make another member an owner first.":
    "C’est le dernier propriétaire de l’organisation. Nommez d’abord un autre membre propriétaire.",
  "This month's jobs are used up. Wait for the next month, or ask the operator for more.":
    "Les tâches de ce mois sont épuisées. Attendez le mois prochain, ou demandez-en plus à l’exploitant.",
  "This person has the maximum number of grants. Share the location or cluster that contains these resources instead.":
    "Cette personne a le nombre maximal de partages. Partagez plutôt le site ou le groupe qui contient ces ressources.",
  "This person is a member already. Change their role or overrides instead.":
    "Cette personne est déjà membre. Modifiez plutôt son rôle ou ses exceptions.",
  "This person owns {0} organizations, which is the maximum. Give them another role.":
    "Cette personne possède {0} organisations, ce qui est le maximum. Donnez-lui un autre rôle.",
  "This token does not have Write of OrganizationView. Use a token that has it.":
    "Ce jeton n’a pas Write pour OrganizationView. Utilisez-en un qui l’a.",
  "This token is restricted to certain organizations. Use a token without that restriction.":
    "Ce jeton est limité à certaines organisations. Utilisez-en un sans cette limite.",
  "This token may not change memberships. Use one that may, or sign in.":
    "Ce jeton ne peut pas modifier les membres. Utilisez-en un qui le peut, ou connectez-vous.",
  "This token may not revoke share links. Use one that may, or remove the member without it.":
    "Ce jeton ne peut pas révoquer de liens de partage. Utilisez-en un qui le peut, ou retirez le membre sans cela.",
  "You are the only owner of {0}. Make another member an owner there, or delete it first.":
    "Vous êtes le seul propriétaire de {0}. Nommez-y un autre membre propriétaire, ou supprimez-la d’abord.",
  "You became the only owner of an organization. Make another member an owner there, and delete the account again.":
    "Vous êtes devenu le seul propriétaire d’une organisation. Nommez-y un autre membre propriétaire, puis supprimez de nouveau le compte.",
  "You cannot change your own overrides. Ask another owner or admin.":
    "Vous ne pouvez pas modifier vos propres exceptions. Demandez à un autre propriétaire ou admin.",
  "You cannot give a higher level than you have yourself: {0}.":
    "Vous ne pouvez pas donner un niveau plus élevé que le vôtre : {0}.",
  "You cannot grant a higher level than you have here yourself: {0}.":
    "Vous ne pouvez pas accorder un niveau plus élevé que le vôtre ici : {0}.",
  "You cannot raise your own role. Ask an owner.":
    "Vous ne pouvez pas élever votre propre rôle. Demandez à un propriétaire.",
  "You have access to this already. Name another person.": "Vous y avez déjà accès. Indiquez une autre personne.",
  "You own {0} organizations, which is the maximum. Delete one, or give one to another owner.":
    "Vous possédez {0} organisations, ce qui est le maximum. Supprimez-en une, ou donnez-en une à un autre propriétaire.",
  "must have 1 to 64 letters, digits, dots, hyphens and underscores":
    "doit avoir de 1 à 64 lettres, chiffres, points, traits d’union et traits bas",
  "name either userId or email": "indiquez soit userId, soit email",
  "{0} grants on this resource exist, which is the maximum. Use memberships instead.":
    "Il y a {0} partages ici, ce qui est le maximum. Ajoutez plutôt des membres.",
  "{0} has reached its maximum of {1}. Delete some, or use another one.":
    "[0] a atteint son maximum de {1}. Supprimez-en, ou utilisez un autre endroit.",
  "{0} invitations are open, which is the maximum. Withdraw some.":
    "{0} invitations sont ouvertes, ce qui est le maximum. Retirez-en.",
  "{0} brings this membership, and would bring it again. Remove the person from the group there.":
    "{0} apporte cette adhésion et l’apporterait de nouveau. Retirez-y la personne du groupe.",
};
