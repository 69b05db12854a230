// The single table of all settings: name, default, parser and one sentence of documentation. config.ts reads
// the environment by it; docs/SETTINGS.md is generated from it.

import { addressRanges, privateHosts } from './address-ranges.ts'
import { tagSettings } from './moderation-tags.ts'
import {
  capMb,
  days,
  did,
  dids,
  flag,
  hostname,
  integer,
  jetstreamHostsOrOff,
  listenAddress,
  mediaPattern,
  members,
  oneOf,
  path,
  secret,
  text,
  url,
} from './parsers.ts'
import { serveThreads } from './serve-threads.ts'
import { hidden, optional, setting } from './setting.ts'
import { streamBytesSettings } from './stream-bytes.ts'

/** The verifiers trusted by Bluesky's own AppView, as published at https://blu.ski/trusted. */
const TRUSTED_VERIFIERS = [
  'did:plc:z72i7hdynmk6r22z27h6tvur', // Bluesky
  'did:plc:eclio37ymobqex2ncko63h4r', // The New York Times
  'did:plc:inz4fkbbp7ms3ixufw6xuvdi', // WIRED
  'did:plc:b2kutgxqlltwc6lhs724cfwr', // The Athletic
  'did:plc:wmho6q2uiyktkam3jsvrms3s', // NBC News
  'did:plc:sqbswn3lalcc2dlh2k7zdpuw', // Yahoo Finance
  'did:plc:y3xrmnwvkvsq4tqcsgwch4na', // The Globe and Mail
  'did:plc:d2jith367s6ybc3ldsusgdae', // Los Angeles Times
  'did:plc:dzezcmpb3fhcpns4n4xm4ur5', // CNN
  'did:plc:5u54z2qgkq43dh2nzwzdbbhb', // Financial Times
  'did:plc:xwqgusybtrpm67tcwqdfmzvy', // IGN
  'did:plc:k5nskatzhyxersjilvtnz4lh', // The Washington Post
  'did:plc:fivojrvylkim4nuo3pfqcf3k', // Microsoft
]

export const settings = {
  port: setting('PORT', '3000', integer(0, 65_535), 'Port to listen on; 0 takes any free one.'),
  bind: setting(
    'BIND',
    '127.0.0.1',
    listenAddress,
    'Address to listen on; 0.0.0.0 for all interfaces.',
  ),
  hostname: setting(
    'HOSTNAME',
    undefined,
    hostname,
    'Public host name, with :port if it is not 443 (localhost:PORT if unset). The service DID is did:web: plus this name. Only localhost works without https.',
  ),
  serviceDid: setting(
    'SERVICE_DID',
    undefined,
    did,
    'Service DID (did:web: of the host name if unset).',
  ),
  altAudiences: setting(
    'ALT_AUDIENCES',
    '',
    dids,
    'Other DIDs accepted as the audience of a service JWT, separated by commas.',
  ),
  dataDir: setting('DATA_DIR', './data', path, 'Folder for the database and caches.'),
  jetstreamHosts: setting(
    'JETSTREAM_HOSTS',
    'wss://jetstream.us-east.bsky.network,wss://jetstream.us-west.bsky.network',
    jetstreamHostsOrOff,
    'Jetstream origins in order of preference, separated by commas; off: Jetstream is not read, only RELAY_HOSTS (docs/SOURCES.md).',
  ),
  jetstreamWire: setting(
    'JETSTREAM_WIRE',
    'v2',
    oneOf('v2', 'v1', 'auto'),
    'v2 (subscribeEvents), v1 (/subscribe), or auto: v2 where the host has it.',
  ),
  jetstreamCompress: setting(
    'JETSTREAM_COMPRESS',
    'on',
    flag,
    'Ask for zstd frames with a shared dictionary (less than half the traffic).',
  ),
  jetstreamV1Dictionary: setting(
    'JETSTREAM_V1_DICTIONARY',
    'https://raw.githubusercontent.com/bluesky-social/jetstream/main/internal/subscribe/dictionaries/legacy_subscribe.zdict',
    text,
    'Path or URL of the v1 dictionary; the v2 one comes from its host.',
  ),
  ...streamBytesSettings,
  plcUrl: setting(
    'PLC_URL',
    'https://plc.directory',
    url('http:', 'https:'),
    'PLC directory that resolves did:plc.',
  ),
  members: setting(
    'MEMBERS',
    'open',
    members,
    'Who may read here: open (anyone with a valid service JWT), or DIDs and handles separated by commas; the word invite in the list also admits holders of your invite codes.',
  ),
  maxMembers: setting(
    'MAX_MEMBERS',
    '10000',
    integer(0, 1_000_000_000),
    'Maximum number of members. Once reached, a newcomer replaces a member who came once and never again, or is refused; accounts that you name or add always get in. 0: no limit.',
  ),
  newMembersPerHour: setting(
    'NEW_MEMBERS_PER_HOUR',
    '1000',
    integer(0, 1_000_000_000),
    'New members allowed per hour. One address (for a PDS: all its users together; IPv6: a /48) may use a quarter of the remaining places, one did:web domain a fortieth. Accounts that you name, add or invite do not count, nor do those from UNLIMITED_ADDRESSES. 0: no limit.',
  ),
  reasonableLimit: setting(
    'REASONABLE_LIMIT',
    '2000',
    integer(0, 10_000_000),
    'Follows above which a timeline becomes lossy: each post is kept with probability limit/follows. 0: all timelines keep everything.',
  ),
  serveThreads: setting(
    'SERVE_THREADS',
    'auto',
    serveThreads,
    'Threads that serve requests; ingest has a thread to itself. auto: one less than the processors, at least one, as far as the memory of the machine or container allows (half of it, at 220 MB for each beyond the first). More than one needs Linux or FreeBSD.',
  ),
  celebrityThreshold: setting(
    'CELEBRITY_THRESHOLD',
    '10000',
    integer(1, 1_000_000_000),
    'Followers among members above which an author’s posts are merged into timelines on read, instead of fanned out on arrival.',
  ),
  timelineLength: setting(
    'TIMELINE_LENGTH',
    '1000',
    integer(50, 100_000),
    'Timeline items kept in memory for each active member; older pages are read from the database.',
  ),
  replayHours: setting(
    'REPLAY_HOURS',
    '36',
    integer(1, 72),
    'Hours of Jetstream to replay at a member’s first sign-in, for all accounts they follow; no more than the host keeps.',
  ),
  timelineTarget: setting(
    'TIMELINE_TARGET',
    '500',
    integer(0, 10_000),
    'Number of items up to which a new member’s timeline is filled with older posts, read from their follows’ servers.',
  ),
  timelineIdleDays: setting(
    'TIMELINE_IDLE_DAYS',
    '14',
    integer(1, 3650),
    'Days without a request after which a timeline is evicted from memory; the next read rebuilds it.',
  ),
  memoryMb: setting(
    'MEMORY_MB',
    '0',
    integer(0, 10_000_000),
    'Megabytes of memory for the server, without its media processes. Database pages get 15 % (4 to 64 MB per connection, set at start); the threads’ answer caches share the room that stored data leaves, up to ANSWER_CACHE_MB each. 0: two fifths of a machine or container of up to 2 GB; on larger ones each has its own limit.',
  ),
  answerCacheMb: setting(
    'ANSWER_CACHE_MB',
    '96',
    integer(0, 100_000),
    'Megabytes of cache for each serving thread: built posts and profiles, and viewers’ state for them.',
  ),
  indexScope: setting(
    'INDEX_SCOPE',
    'community',
    oneOf('authors', 'community', 'network'),
    'authors: only records by members and accounts they follow. community: also others’ replies, likes, reposts and follows among them. network: everything.',
  ),
  keepStrangersDays: setting(
    'KEEP_STRANGERS_DAYS',
    '0',
    days,
    'Days to keep strangers’ likes and reposts, and their posts that no author refers to; counts stay. 0: for ever, as long as there is room.',
  ),
  keepNeighboursDays: setting(
    'KEEP_NEIGHBOURS_DAYS',
    '0',
    days,
    'The same for strangers’ posts that an account followed here replied to, quoted or reposted, or that a member liked; they are fetched again on demand.',
  ),
  forgetMembersDays: setting(
    'FORGET_MEMBERS_DAYS',
    '0',
    integer(0, 100_000),
    'Days without a visit after which a membership ends and data that only that member needed is deleted; their private state is first written to members-away/ in the data folder. 0: never.',
  ),
  diskCapMb: setting(
    'DISK_CAP_MB',
    '0',
    capMb,
    'Maximum megabytes for the database; above nine tenths of that, less is kept (docs/WATCHING.md). 0: as many as leave DISK_RESERVE_MB free.',
  ),
  diskReserveMb: setting(
    'DISK_RESERVE_MB',
    '1000',
    integer(0, 100_000_000),
    'Megabytes of disk that the database leaves free.',
  ),
  searchedPosts: setting(
    'SEARCHED_POSTS',
    '10000000',
    integer(0, 1_000_000_000),
    'Number of posts in the full-text search index (the newest); each takes about 300 bytes of disk. 0: none.',
  ),
  upgradeBackup: setting(
    'UPGRADE_BACKUP',
    'on',
    flag,
    'Copy the database before a new version changes its schema (to slipstream.sqlite.before-NNN beside it; only the latest copy is kept).',
  ),
  allowPrivateHosts: setting(
    'ALLOW_PRIVATE_HOSTS',
    'off',
    privateHosts,
    'Allow DID documents and PDSs on private addresses and plain http: on, off, or only these addresses and networks, separated by commas. For tests and local networks only.',
  ),
  images: setting(
    'IMAGES',
    'cdn',
    oneOf('cdn', 'own'),
    'Source of images. cdn: Bluesky’s. own: this server fetches them from each account’s PDS, resizes them and caches them.',
  ),
  videos: setting(
    'VIDEOS',
    'cdn',
    oneOf('cdn', 'proxy', 'own'),
    'Source of videos; this server always serves their playlists and captions (docs/VIDEO.md). cdn: players are redirected to the video service for each segment. proxy: this server relays the segments, so that the service does not learn who watches. own: from each account’s PDS, as uploaded.',
  ),
  videoServiceUrl: setting(
    'VIDEO_SERVICE_URL',
    'https://video.bsky.app/watch',
    url('https:', 'http:'),
    'Video service for VIDEOS=cdn and proxy: {did}/{cid}/playlist.m3u8 and thumbnail.jpg are below it.',
  ),
  imageUrlPattern: optional(
    'IMAGE_URL_PATTERN',
    mediaPattern,
    'Image address (as IMAGES says if unset); {preset} is avatar, banner, feed_thumbnail or feed_fullsize.',
  ),
  videoPlaylistUrlPattern: optional(
    'VIDEO_PLAYLIST_URL_PATTERN',
    mediaPattern,
    'Video playlist address (as VIDEOS says if unset).',
  ),
  videoThumbnailUrlPattern: optional(
    'VIDEO_THUMBNAIL_URL_PATTERN',
    mediaPattern,
    'Video thumbnail address (as VIDEOS says if unset).',
  ),
  labelers: setting(
    'LABELERS',
    'did:plc:ar7c4by46qjdydhdevvrndac',
    dids,
    "DIDs of labelers whose labels apply when a request names none, and whose streams are always followed (Bluesky's moderation service).",
  ),
  trustedVerifiers: setting(
    'TRUSTED_VERIFIERS',
    TRUSTED_VERIFIERS.join(','),
    dids,
    'DIDs of verifiers whose verifications appear on profiles, separated by commas; a single comma for none.',
  ),
  moderationServices: setting(
    'MODERATION_SERVICES',
    '',
    dids,
    'DIDs of your moderation services (Ozone): they may read without being members, and see taken-down content, and threads through blocks.',
  ),
  ...tagSettings,
  memberRateLimit: setting(
    'MEMBER_RATE_LIMIT',
    '12000',
    integer(0, 1_000_000_000),
    'Points that a member may use in five minutes; most calls cost 1, writes 3, searches 5. 0: no limit.',
  ),
  visitorRateLimit: setting(
    'VISITOR_RATE_LIMIT',
    '3000',
    integer(0, 1_000_000_000),
    'The same for each address (IPv6: /64) that is not signed in. 0: no limit.',
  ),
  unlimitedAddresses: setting(
    'UNLIMITED_ADDRESSES',
    '',
    addressRanges,
    'Addresses without limits on requests without a token or on new members, for example your own PDS: addresses, networks, loopback or private, separated by commas.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    'loopback',
    addressRanges,
    'Reverse proxies whose X-Forwarded-For is trusted: addresses, networks, loopback, private or none, separated by commas.',
  ),
  operatorToken: hidden(
    optional(
      'OPERATOR_TOKEN',
      secret,
      'Bearer token of at least 16 characters for the operator’s routes under /operator/ and the explore view; unset, they are off. The command line on the same machine needs no token.',
    ),
  ),
  metrics: setting(
    'METRICS',
    'local',
    oneOf('local', 'open', 'operator', 'off'),
    'Who may read /metrics: local (loopback and private addresses, not through a proxy, or the operator’s token), operator (the token alone), open (everyone), off.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'Least severe level to log.',
  ),
}
