/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A grant on a document must have exactly one capability: Documents, at Read or Write.":
    "Eine Freigabe eines Dokuments muss genau ein Recht haben: Documents mit Read oder Write.",
  "A location moves only between clusters of the same workspace.":
    "Ein Standort wechselt nur zwischen Gruppen desselben Arbeitsbereichs.",
  "A person registers with this invitation now. Try again in a minute.":
    "Eine Person registriert sich gerade mit dieser Einladung. Versuchen Sie es in einer Minute erneut.",
  "A token cannot delete the account. Sign in first.":
    "Ein Token kann das Konto nicht löschen. Melden Sie sich zuerst an.",
  "An owner has no overrides. Send `overrides` as {}, or another role.":
    "Ein Eigentümer hat keine Ausnahmen. Senden Sie `overrides` als {}, oder eine andere Rolle.",
  "Files arrived in the meantime.": "Inzwischen sind Dateien angekommen.",
  "In an organization, only owners and admins who may edit this resource can share it. In a personal workspace, only its owner can.":
    "In einer Organisation können nur Eigentümer und Admins, die dies bearbeiten dürfen, es teilen. In einem persönlichen Arbeitsbereich kann es nur sein Eigentümer.",
  "It is not in the trash, so you cannot restore it.":
    "Es ist nicht im Papierkorb, darum können Sie es nicht wiederherstellen.",
  "It was restored in the meantime, or its removal has begun.":
    "Es wurde inzwischen wiederhergestellt, oder seine Entfernung hat begonnen.",
  "It was restored or purged in the meantime, or its recovery window has ended. List the trash again.":
    "Es wurde inzwischen wiederhergestellt oder endgültig gelöscht, oder seine Frist ist abgelaufen. Lesen Sie den Papierkorb erneut.",
  "Its cluster is deleted. Restore that first: POST /v1/spatial/clusters/{0}/restore.":
    "Die Gruppe ist gelöscht. Stellen Sie sie zuerst wieder her: POST /v1/spatial/clusters/{0}/restore.",
  "Its cluster or location was deleted in the meantime. Restore that first.":
    "Die Gruppe oder der Standort wurde inzwischen gelöscht. Stellen Sie zuerst diese wieder her.",
  "Its location is deleted. Restore that first: POST /v1/spatial/locations/{0}/restore.":
    "Der Standort ist gelöscht. Stellen Sie ihn zuerst wieder her: POST /v1/spatial/locations/{0}/restore.",
  "No account has this address as its verified address. Share one document: that share waits for the person.":
    "Kein Konto hat diese Adresse als bestätigte Adresse. Teilen Sie ein einzelnes Dokument: Diese Freigabe wartet auf die Person.",
  "No account has this address as its verified address. Invite the person to an organization first.":
    "Kein Konto hat diese Adresse als bestätigte Adresse. Laden Sie die Person zuerst in eine Organisation ein.",
  "No member and no user with a grant here has this id. For other people, send their e-mail address.":
    "Kein Mitglied und keine Person mit einer Freigabe hier hat diese Kennung. Senden Sie für andere Personen ihre E-Mail-Adresse.",
  "One of the organizations was restored in the meantime.":
    "Eine der Organisationen wurde inzwischen wiederhergestellt.",
  "One of the resources was restored in the meantime.": "Etwas davon wurde inzwischen wiederhergestellt.",
  "Only an administrator of the service lists all deleted organizations.":
    "Nur ein Administrator des Dienstes listet alle gelöschten Organisationen.",
  "Only an owner may change or remove an owner.": "Nur ein Eigentümer darf einen Eigentümer ändern oder entfernen.",
  "Only an owner may delete an organization.": "Nur ein Eigentümer darf eine Organisation löschen.",
  "Only an owner may make an owner.": "Nur ein Eigentümer darf jemanden zum Eigentümer machen.",
  "Only an owner may purge. Delete without `purge`: the resource is removed when its recovery window ends.":
    "Nur ein Eigentümer darf endgültig löschen. Löschen Sie ohne `purge`: Entfernt wird am Ende der Frist.",
  "Only an owner may change what the organization requires of a sign-in.":
    "Nur ein Eigentümer darf ändern, was die Organisation von einer Anmeldung verlangt.",
  "Sign in with a passkey, or with the password and a second factor, before you require it of others.":
    "Melden Sie sich mit einem Passkey an, oder mit dem Passwort und einem zweiten Faktor, bevor Sie es von anderen verlangen.",
  "must name each language once": "muss jede Sprache einmal nennen",
  "Only an owner may change the languages of recognition.":
    "Nur ein Eigentümer darf die Sprachen der Texterkennung ändern.",
  "Only an owner may switch the recognition of scans on or off.":
    "Nur ein Eigentümer darf die Texterkennung von Scans ein- oder ausschalten.",
  "Send a time in the future as expiresAtUtc.": "Senden Sie als expiresAtUtc einen Zeitpunkt in der Zukunft.",
  "Send latitude and longitude together, or neither.": "Senden Sie Breite und Länge zusammen, oder keine von beiden.",
  "That cluster": "Jene Gruppe",
  "The organization has no owner any more, so it cannot be restored.":
    "Die Organisation hat keinen Eigentümer mehr, darum lässt sie sich nicht wiederherstellen.",
  "This cluster": "Diese Gruppe",
  "This invitation is for another address. Sign in with the account of that address.":
    "Diese Einladung ist für eine andere Adresse. Melden Sie sich mit dem Konto jener Adresse an.",
  "This invitation was used, withdrawn or has expired. Ask for a new one.":
    "Diese Einladung wurde verwendet oder zurückgezogen, oder sie ist abgelaufen. Bitten Sie um eine neue.",
  "This is already shared with that person. Change the existing grant instead.":
    "Das ist mit dieser Person bereits geteilt. Ändern Sie stattdessen die bestehende Freigabe.",
  "This is the organization's last owner. Make another member an owner first.":
    "Das ist der letzte Eigentümer der Organisation. Machen Sie zuerst ein anderes Mitglied zum Eigentümer.",
  "This month's jobs are used up. Wait for the next month, or ask the operator for more.":
    "Die Aufträge dieses Monats sind aufgebraucht. Warten Sie auf den nächsten Monat, oder bitten Sie den Betreiber um mehr.",
  "This person has the maximum number of grants. Share the location or cluster that contains these resources instead.":
    "Diese Person hat die größte Zahl von Freigaben. Teilen Sie stattdessen den Standort oder die Gruppe, zu der dies gehört.",
  "This person is a member already. Change their role or overrides instead.":
    "Diese Person ist bereits Mitglied. Ändern Sie stattdessen ihre Rolle oder ihre Ausnahmen.",
  "This person owns {0} organizations, which is the maximum. Give them another role.":
    "Dieser Person gehören {0} Organisationen, und das ist das Maximum. Geben Sie ihr eine andere Rolle.",
  "This token does not have Write of OrganizationView. Use a token that has it.":
    "Dieses Token hat nicht Write für OrganizationView. Verwenden Sie eines, das es hat.",
  "This token is restricted to certain organizations. Use a token without that restriction.":
    "Dieses Token ist auf bestimmte Organisationen eingeschränkt. Verwenden Sie eines ohne diese Einschränkung.",
  "This token may not change memberships. Use one that may, or sign in.":
    "Dieses Token darf Mitgliedschaften nicht ändern. Verwenden Sie eines, das es darf, oder melden Sie sich an.",
  "This token may not revoke share links. Use one that may, or remove the member without it.":
    "Dieses Token darf keine Freigabe-Links widerrufen. Verwenden Sie eines, das es darf, oder entfernen Sie das Mitglied ohne dies.",
  "You are the only owner of {0}. Make another member an owner there, or delete it first.":
    "Sie sind der einzige Eigentümer von {0}. Machen Sie dort ein anderes Mitglied zum Eigentümer, oder löschen Sie zuerst die Organisation.",
  "You became the only owner of an organization. Make another member an owner there, and delete the account again.":
    "Sie sind der einzige Eigentümer einer Organisation geworden. Machen Sie dort ein anderes Mitglied zum Eigentümer, und löschen Sie das Konto erneut.",
  "You cannot change your own overrides. Ask another owner or admin.":
    "Sie können Ihre eigenen Ausnahmen nicht ändern. Bitten Sie einen anderen Eigentümer oder Admin.",
  "You cannot give a higher level than you have yourself: {0}.":
    "Sie können keine höhere Stufe geben, als Sie selbst haben: {0}.",
  "You cannot grant a higher level than you have here yourself: {0}.":
    "Sie können keine höhere Stufe freigeben, als Sie hier selbst haben: {0}.",
  "You cannot raise your own role. Ask an owner.":
    "Sie können Ihre eigene Rolle nicht erhöhen. Bitten Sie einen Eigentümer.",
  "You have access to this already. Name another person.":
    "Sie haben darauf bereits Zugriff. Nennen Sie eine andere Person.",
  "You own {0} organizations, which is the maximum. Delete one, or give one to another owner.":
    "Ihnen gehören {0} Organisationen, und das ist das Maximum. Löschen Sie eine, oder übergeben Sie eine einem anderen Eigentümer.",
  "must have 1 to 64 letters, digits, dots, hyphens and underscores":
    "muss 1 bis 64 Buchstaben, Ziffern, Punkte, Bindestriche und Unterstriche haben",
  "name either userId or email": "nennen Sie entweder userId oder email",
  "{0} grants on this resource exist, which is the maximum. Use memberships instead.":
    "Hier gibt es {0} Freigaben, und das ist das Maximum. Verwenden Sie stattdessen Mitgliedschaften.",
  "{0} has reached its maximum of {1}. Delete some, or use another one.":
    "[0] hat das Maximum von {1} erreicht. Löschen Sie einige, oder verwenden Sie einen anderen Ort.",
  "{0} invitations are open, which is the maximum. Withdraw some.":
    "{0} Einladungen sind offen, und das ist das Maximum. Ziehen Sie einige zurück.",
  "{0} brings this membership, and would bring it again. Remove the person from the group there.":
    "{0} bringt diese Mitgliedschaft, und brächte sie wieder. Entfernen Sie die Person dort aus der Gruppe.",
};
