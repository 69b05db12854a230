// The explore page's tab of members and invites: forms, and empty places that a script fills (assets/membership.ts).

import { type Html, html } from '../../http/server/html.ts'

export function membershipPanel(): Html {
  return html`<section role="tabpanel" id="members-panel" aria-labelledby="members-tab" hidden>
<h2>Members</h2>
<form id="member-form" class="ask">
<label for="member-actor">Let somebody read here: handle, DID, or the address of a profile</label>
<div class="row"><input id="member-actor" name="actor" required spellcheck="false" autocapitalize="none" autocomplete="off" placeholder="alice.example.org"><button type="submit">Add</button></div>
<p class="problem" role="alert"></p>
</form>
<p id="member-done" role="status"></p>
<div id="member-list"></div>
<h2>Invites</h2>
<form id="invite-form" class="ask">
<label for="invite-uses">How many may join with it</label>
<div class="row"><input id="invite-uses" name="maxUses" type="number" min="1" max="1000000" value="1" required></div>
<label for="invite-days">For how many days; empty for ever</label>
<div class="row"><input id="invite-days" name="days" type="number" min="1" max="36500"></div>
<label for="invite-note">For whom, as a note to yourself</label>
<div class="row"><input id="invite-note" name="note" maxlength="200" autocomplete="off"><button type="submit">Make an invite</button></div>
<p class="problem" role="alert"></p>
</form>
<p id="invite-done" role="status"></p>
<div id="invite-list"></div>
</section>`
}
