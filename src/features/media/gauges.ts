// What a serving thread reports about pictures and videos.

export const gauges = [
  'media.refused',
  'media.died',
  'media.pending',
  'media.pinned_bytes',
  'media.pinned_missing',
  'media.playlists_made',
  'media.playlists_elsewhere',
  'media.watch_too_many',
  'media.watch_unknown',
  'media.watch_dropped',
] as const
