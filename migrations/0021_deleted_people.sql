-- The entries with the address of a person, who can delete their account.
CREATE INDEX audit_of_address ON audit_entries (json_extract(details, '$.email')) WHERE action = 'invitation.created';
-- The pointers to a removed workspace. With one database, the table is empty.
CREATE INDEX pointers_of_workspace ON pointers (workspace_id);
-- The people who get a message when the removal of an organization ends: its owners.
CREATE INDEX removal_owners_of_workspace ON removal_owners (workspace_id);
