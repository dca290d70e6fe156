/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Choose a password that is not made of your e-mail address.":
    "Wählen Sie ein Passwort, das nicht aus Ihrer E-Mail-Adresse besteht.",
  "Many people use this password. Choose one that is hard to guess.":
    "Viele Menschen verwenden dieses Passwort. Wählen Sie eines, das schwer zu erraten ist.",
  "Name a time in the future for `expiresAtUtc`, or null.":
    "Nennen Sie in `expiresAtUtc` einen Zeitpunkt in der Zukunft oder null.",
  "Name only organizations that you have access to.": "Nennen Sie nur Organisationen, auf die Sie Zugriff haben.",
  "No database has room for another workspace. Ask the operator to add one.":
    "Keine Datenbank hat Platz für einen weiteren Arbeitsbereich. Bitten Sie den Betreiber, eine hinzuzufügen.",
  "Nobody can register here. Ask the operator for an account.":
    "Hier kann sich niemand registrieren. Bitten Sie den Betreiber um ein Konto.",
  "Only a session can manage credentials. Sign in and use the session's access token.":
    "Nur eine Sitzung kann Zugangsdaten verwalten. Melden Sie sich an und verwenden Sie das Zugriffstoken der Sitzung.",
  "Register with the address that this invitation was sent to.":
    "Registrieren Sie sich mit der Adresse, an die diese Einladung ging.",
  "Registering needs an invitation. Ask a member to invite you.":
    "Für die Registrierung brauchen Sie eine Einladung. Bitten Sie ein Mitglied, Sie einzuladen.",
  "Send a session's access token or a personal access token as `Authorization: Bearer …`.":
    "Senden Sie das Zugriffstoken einer Sitzung oder ein persönliches Zugriffstoken als `Authorization: Bearer …`.",
  "Sign in at the issuer again, and send the request with the new token at once.":
    "Melden Sie sich beim Aussteller erneut an, und senden Sie die Anfrage sofort mit dem neuen Token.",
  "The access of this person changes now. Send the request again.":
    "Der Zugriff dieser Person ändert sich gerade. Senden Sie die Anfrage erneut.",
  "The account was made in the meantime.": "Das Konto wurde inzwischen angelegt.",
  "The account with this address uses another way to sign in. Use that way, or ask the operator.":
    "Das Konto mit dieser Adresse verwendet eine andere Art der Anmeldung. Verwenden Sie diese, oder fragen Sie den Betreiber.",
  "The current password is wrong.": "Das jetzige Passwort ist falsch.",
  "The e-mail address or the password is wrong.": "Die E-Mail-Adresse oder das Passwort ist falsch.",
  "The issuer of this credential does not answer. Try again soon.":
    "Der Aussteller dieser Zugangsdaten antwortet nicht. Versuchen Sie es bald erneut.",
  "The password is wrong.": "Das Passwort ist falsch.",
  "The person holds something here.": "Die Person hat hier noch Zugriff.",
  "The regions are: {0}.": "Die Regionen sind: {0}.",
  "The registration took too long. Open the invitation again.":
    "Die Registrierung hat zu lange gedauert. Öffnen Sie die Einladung erneut.",
  "Only pages of this service get a cookie. Leave out `cookie`: the answer then has the tokens.":
    "Nur Seiten dieses Dienstes bekommen ein Cookie. Lassen Sie `cookie` weg: Die Antwort hat dann die Token.",
  "There is an account with this address. Sign in instead.":
    "Es gibt bereits ein Konto mit dieser Adresse. Melden Sie sich stattdessen an.",
  "This credential has expired. Refresh the session, or create a new token.":
    "Diese Zugangsdaten sind abgelaufen. Erneuern Sie die Sitzung, oder legen Sie ein neues Token an.",
  "This credential is unknown. Sign in again, or create a new token.":
    "Diese Zugangsdaten sind unbekannt. Melden Sie sich erneut an, oder legen Sie ein neues Token an.",
  "This credential was revoked. Sign in again, or create a new token.":
    "Diese Zugangsdaten wurden widerrufen. Melden Sie sich erneut an, oder legen Sie ein neues Token an.",
  "This is for owners and admins of the organization.": "Das ist Eigentümern und Admins der Organisation vorbehalten.",
  "This is for platform administrators. Use a session, or a token without restrictions, of an administrator.":
    "Das ist Administratoren des Dienstes vorbehalten. Verwenden Sie die Sitzung eines Administrators oder sein Token ohne Einschränkungen.",
  "This link was used or has expired. Request a new link on the sign-in page.":
    "Dieser Link wurde verwendet oder ist abgelaufen. Fordern Sie auf der Anmeldeseite einen neuen an.",
  "This refresh token belongs to no session. Sign in again.":
    "Dieses Erneuerungstoken gehört zu keiner Sitzung. Melden Sie sich erneut an.",
  "This refresh token was used before. Sign in again.":
    "Dieses Erneuerungstoken wurde bereits verwendet. Melden Sie sich erneut an.",
  "This service has no regions. Leave `region` out.": "Dieser Dienst hat keine Regionen. Lassen Sie `region` weg.",
  "This session has ended. Sign in again.": "Diese Sitzung ist beendet. Melden Sie sich erneut an.",
  "This token is restricted: it lacks {0} of {1}, which you hold. Use a token that has it, or sign in.":
    "Dieses Token ist eingeschränkt: Ihm fehlt {0} für {1}, das Sie selbst haben. Verwenden Sie ein Token, das es hat, oder melden Sie sich an.",
  "The passkey could not be verified, or its request has ended. Try again.":
    "Der Passkey konnte nicht geprüft werden, oder seine Anfrage ist beendet. Versuchen Sie es noch einmal.",
  "This passkey does not sign in here, or the request has ended. Try again.":
    "Dieser Passkey meldet hier nicht an, oder die Anfrage ist beendet. Versuchen Sie es noch einmal.",
  "You have {0} passkeys. Remove one that you no longer use.":
    "Sie haben {0} Passkeys. Entfernen Sie einen, den Sie nicht mehr benutzen.",
  "You have {0} tokens. Revoke a token that you no longer use.":
    "Sie haben {0} Token. Widerrufen Sie eines, das Sie nicht mehr brauchen.",
  "Confirm the sign-in with a passkey or a recovery code.":
    "Bestätigen Sie die Anmeldung mit einem Passkey oder einem Wiederherstellungscode.",
  "The sign-in was not confirmed, or it has ended. Enter your password again.":
    "Die Anmeldung wurde nicht bestätigt, oder sie ist beendet. Geben Sie Ihr Passwort noch einmal ein.",
  "Your sign-in asks for a passkey after the password, and this is your last one. Add another one, or switch that off first.":
    "Ihre Anmeldung verlangt nach dem Passwort einen Passkey, und dies ist Ihr letzter. Fügen Sie einen anderen hinzu, oder schalten Sie das zuerst aus.",
  "Add a passkey first.": "Fügen Sie zuerst einen Passkey hinzu.",
  "Your sign-in asks for a passkey after the password already.":
    "Ihre Anmeldung verlangt nach dem Passwort bereits einen Passkey.",
  "send either response or recoveryCode": "senden Sie entweder response oder recoveryCode",
  "change at least one field": "ändern Sie mindestens ein Feld",
  "must be an e-mail address": "muss eine E-Mail-Adresse sein",
  "must have at least {0} characters": "muss mindestens {0} Zeichen haben",
};
