// Push registrations of members' devices: private state, which is in no repository. Also the key that
// identifies us to push services, which registrations are bound to.

export const version = 27

export const sql = /* sql */ `
CREATE TABLE push_registrations (
  uid INTEGER NOT NULL,
  endpoint TEXT NOT NULL,             -- an address at a push service, secret to the device and us
  p256dh TEXT NOT NULL,               -- the device's key, base64url
  auth TEXT NOT NULL,
  app_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,        -- milliseconds
  PRIMARY KEY (uid, endpoint)
) WITHOUT ROWID;

CREATE TABLE push_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  public_key TEXT NOT NULL,           -- VAPID (RFC 8292), base64url
  private_key TEXT NOT NULL,
  told INTEGER NOT NULL               -- notifications.id up to which devices were told
);
`
