/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Choose a password that is not made of your e-mail address.":
    "Choisissez un mot de passe qui n’est pas tiré de votre adresse e-mail.",
  "Many people use this password. Choose one that is hard to guess.":
    "Beaucoup de gens utilisent ce mot de passe. Choisissez-en un qui soit difficile à deviner.",
  "Name a time in the future for `expiresAtUtc`, or null.": "Indiquez dans `expiresAtUtc` un moment futur, ou null.",
  "Name only organizations that you have access to.":
    "Indiquez seulement des organisations auxquelles vous avez accès.",
  "No database has room for another workspace. Ask the operator to add one.":
    "Aucune base de données n’a de place pour un autre espace de travail. Demandez à l’exploitant d’en ajouter une.",
  "Nobody can register here. Ask the operator for an account.":
    "Personne ne peut s’inscrire ici. Demandez un compte à l’exploitant.",
  "Only a session can manage credentials. Sign in and use the session's access token.":
    "Seule une session peut gérer les identifiants. Connectez-vous et utilisez le jeton d’accès de la session.",
  "Register with the address that this invitation was sent to.":
    "Inscrivez-vous avec l’adresse à laquelle cette invitation a été envoyée.",
  "Registering needs an invitation. Ask a member to invite you.":
    "L’inscription demande une invitation. Demandez à un membre de vous inviter.",
  "Send a session's access token or a personal access token as `Authorization: Bearer …`.":
    "Envoyez le jeton d’accès d’une session ou un jeton d’accès personnel dans `Authorization: Bearer …`.",
  "Sign in at the issuer again, and send the request with the new token at once.":
    "Reconnectez-vous auprès de l’émetteur, et envoyez aussitôt la requête avec le nouveau jeton.",
  "The access of this person changes now. Send the request again.":
    "L’accès de cette personne est en train de changer. Renvoyez la requête.",
  "The account was made in the meantime.": "Le compte a été créé entre-temps.",
  "The account with this address uses another way to sign in. Use that way, or ask the operator.":
    "Le compte de cette adresse utilise une autre façon de se connecter. Utilisez-la, ou demandez à l’exploitant.",
  "The current password is wrong.": "Le mot de passe actuel est faux.",
  "The e-mail address or the password is wrong.": "L’adresse e-mail ou le mot de passe est incorrect.",
  "The issuer of this credential does not answer. Try again soon.":
    "L’émetteur de cet identifiant ne répond pas. Réessayez bientôt.",
  "The password is wrong.": "Le mot de passe est incorrect.",
  "The person holds something here.": "La personne a encore un accès ici.",
  "The regions are: {0}.": "Les régions sont : {0}.",
  "The registration took too long. Open the invitation again.":
    "L’inscription a pris trop de temps. Ouvrez de nouveau l’invitation.",
  "Only pages of this service get a cookie. Leave out `cookie`: the answer then has the tokens.":
    "Seules les pages de ce service reçoivent un cookie. Omettez `cookie` : la réponse contient alors les jetons.",
  "There is an account with this address. Sign in instead.":
    "Il existe déjà un compte avec cette adresse. Connectez-vous plutôt.",
  "This credential has expired. Refresh the session, or create a new token.":
    "Cet identifiant a expiré. Renouvelez la session, ou créez un nouveau jeton.",
  "This credential is unknown. Sign in again, or create a new token.":
    "Cet identifiant est inconnu. Reconnectez-vous, ou créez un nouveau jeton.",
  "This credential was revoked. Sign in again, or create a new token.":
    "Cet identifiant a été révoqué. Reconnectez-vous, ou créez un nouveau jeton.",
  "This is for owners and admins of the organization.":
    "C’est réservé aux propriétaires et aux admins de l’organisation.",
  "This is for platform administrators. Use a session, or a token without restrictions, of an administrator.":
    "C’est réservé aux administrateurs du service. Utilisez une session d’administrateur, ou son jeton sans restrictions.",
  "This link was used or has expired. Request a new link on the sign-in page.":
    "Ce lien a été utilisé ou a expiré. Demandez-en un nouveau sur la page de connexion.",
  "This refresh token belongs to no session. Sign in again.":
    "Ce jeton de renouvellement n’appartient à aucune session. Reconnectez-vous.",
  "This refresh token was used before. Sign in again.":
    "Ce jeton de renouvellement a déjà été utilisé. Reconnectez-vous.",
  "This service has no regions. Leave `region` out.": "Ce service n’a pas de régions. Omettez `region`.",
  "This session has ended. Sign in again.": "Cette session est terminée. Reconnectez-vous.",
  "This token is restricted: it lacks {0} of {1}, which you hold. Use a token that has it, or sign in.":
    "Ce jeton est restreint : il lui manque {0} pour {1}, que vous avez vous-même. Utilisez un jeton qui l’a, ou connectez-vous.",
  "The passkey could not be verified, or its request has ended. Try again.":
    "La clé d’accès n’a pas pu être vérifiée, ou sa demande est terminée. Réessayez.",
  "This passkey does not sign in here, or the request has ended. Try again.":
    "Cette clé d’accès ne connecte pas ici, ou la demande est terminée. Réessayez.",
  "You have {0} passkeys. Remove one that you no longer use.":
    "Vous avez {0} clés d’accès. Retirez-en une que vous n’utilisez plus.",
  "You have {0} tokens. Revoke a token that you no longer use.":
    "Vous avez {0} jetons. Révoquez-en un dont vous n’avez plus besoin.",
  "Confirm the sign-in with a passkey or a recovery code.":
    "Confirmez la connexion avec une clé d’accès ou un code de secours.",
  "The sign-in was not confirmed, or it has ended. Enter your password again.":
    "La connexion n’a pas été confirmée, ou elle a pris fin. Saisissez de nouveau votre mot de passe.",
  "Your sign-in asks for a passkey after the password, and this is your last one. Add another one, or switch that off first.":
    "Votre connexion demande une clé d’accès après le mot de passe, et celle-ci est la dernière. Ajoutez-en une autre, ou désactivez d’abord cette demande.",
  "Add a passkey first.": "Ajoutez d’abord une clé d’accès.",
  "Your sign-in asks for a passkey after the password already.":
    "Votre connexion demande déjà une clé d’accès après le mot de passe.",
  "send either response or recoveryCode": "envoyez response ou recoveryCode",
  "change at least one field": "changez au moins un champ",
  "must be an e-mail address": "doit être une adresse e-mail",
  "must have at least {0} characters": "doit avoir au moins {0} caractères",
};
