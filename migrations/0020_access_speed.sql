-- Everything that is asked of a user's grants at each request, in the order it is grouped: nothing is sorted or looked up.
CREATE INDEX grants_covered ON grants (user_id, organization_id, target, capabilities, target_id, expires_at);
DROP INDEX grants_of_user;
