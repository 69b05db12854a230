// The methods of the official lexicons that Slipstream does not implement, and why: one line for each, or for
// a whole namespace with the same reason (`*` at the end). All are answered with `501 MethodNotImplemented`.
// A method with a refusal of its own declares it (method.ts). docs/METHODS.md is generated from both;
// test/scripts/methods-page.test.ts checks that they are complete.

const AGE =
  'There is no provider of age assurance here, as in a reference that has none configured.'
const CONTACTS =
  'Matching needs everybody’s phone numbers, SMS and a service of its own; no self-hosted AppView has them. The reference says the same where none is configured.'
const VIDEO = 'The video service’s: clients call it, and their PDS, not the AppView.'
const GENERATOR =
  'A feed generator’s own; we ask it of them. With `SLIPSTREAM_FOR_YOU_PUBLISHER`, For You answers it.'
const SKELETON =
  'Between the reference and services behind it; the method without `Skeleton` is the one that clients call.'
const PDS = 'The PDS’s.'
const ADMIN =
  'For the operator of a PDS; an AppView is asked for `getAccountInfos`, `getSubjectStatus` and `updateSubjectStatus`.'

export const refusedMethods: Record<string, string> = {
  'app.bsky.ageassurance.begin': AGE,
  'app.bsky.unspecced.initAgeAssurance': AGE,
  'app.bsky.contact.*': CONTACTS,
  'app.bsky.feed.describeFeedGenerator': GENERATOR,
  'app.bsky.feed.getFeedSkeleton': GENERATOR,
  'app.bsky.unspecced.getOnboardingSuggestedStarterPacksSkeleton': SKELETON,
  'app.bsky.unspecced.getOnboardingSuggestedUsersSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedFeedsSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedStarterPacksSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedUsersForDiscoverSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedUsersForExploreSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedUsersForSeeMoreSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestedUsersSkeleton': SKELETON,
  'app.bsky.unspecced.getSuggestionsSkeleton': SKELETON,
  'app.bsky.unspecced.getTrendsSkeleton': SKELETON,
  'app.bsky.unspecced.searchActorsSkeleton': SKELETON,
  'app.bsky.unspecced.searchPostsSkeleton': SKELETON,
  'app.bsky.unspecced.searchStarterPacksSkeleton': SKELETON,
  'app.bsky.video.*': VIDEO,
  'com.atproto.admin.deleteAccount': ADMIN,
  'com.atproto.admin.disableAccountInvites': ADMIN,
  'com.atproto.admin.disableInviteCodes': ADMIN,
  'com.atproto.admin.enableAccountInvites': ADMIN,
  'com.atproto.admin.getAccountInfo': ADMIN,
  'com.atproto.admin.getInviteCodes': ADMIN,
  'com.atproto.admin.searchAccounts': ADMIN,
  'com.atproto.admin.sendEmail': ADMIN,
  'com.atproto.admin.updateAccountEmail': ADMIN,
  'com.atproto.admin.updateAccountHandle': ADMIN,
  'com.atproto.admin.updateAccountPassword': ADMIN,
  'com.atproto.admin.updateAccountSigningKey': ADMIN,
  'com.atproto.identity.getRecommendedDidCredentials': PDS,
  'com.atproto.identity.refreshIdentity':
    'The PDS’s or a resolver’s; clients do not ask an AppView.',
  'com.atproto.identity.requestPlcOperationSignature': PDS,
  'com.atproto.identity.resolveDid': 'A resolver’s; clients do not ask an AppView.',
  'com.atproto.identity.resolveIdentity': 'A resolver’s; clients do not ask an AppView.',
  'com.atproto.identity.signPlcOperation': PDS,
  'com.atproto.identity.submitPlcOperation': PDS,
  'com.atproto.identity.updateHandle': PDS,
  'com.atproto.label.subscribeLabels': 'A labeler’s own; we follow theirs.',
  'com.atproto.lexicon.resolveLexicon': 'A resolver’s; clients do not ask an AppView.',
  'com.atproto.moderation.createReport': 'A labeler’s: the PDS sends a report there directly.',
  'com.atproto.repo.applyWrites': PDS,
  'com.atproto.repo.createRecord': PDS,
  'com.atproto.repo.deleteRecord': PDS,
  'com.atproto.repo.describeRepo': PDS,
  'com.atproto.repo.importRepo': PDS,
  'com.atproto.repo.listMissingBlobs': PDS,
  'com.atproto.repo.listRecords': PDS,
  'com.atproto.repo.putRecord': PDS,
  'com.atproto.repo.uploadBlob': PDS,
  'com.atproto.server.*': PDS,
  'com.atproto.sync.*': 'The PDS’s or a relay’s; we read the network by Jetstream.',
  'com.atproto.temp.*': 'Temporary methods of Bluesky’s own services.',
}

/** @returns the key of the table entry that covers the method */
export function refusalOf(nsid: string): string | undefined {
  if (Object.hasOwn(refusedMethods, nsid)) return nsid
  return Object.keys(refusedMethods).find(
    (key) => key.endsWith('.*') && nsid.startsWith(key.slice(0, -1)),
  )
}
