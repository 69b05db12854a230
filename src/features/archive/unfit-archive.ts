// Checks which settings are compatible with the archive of a Jetstream host.

type ArchiveSettings = {
  archive: boolean
  archiveKey: string | undefined
  indexScope: string
  jetstreamWire: string
  jetstreamHosts: readonly string[]
  allowPrivateHosts: boolean | readonly string[]
}

/** @returns the problem and how to fix it; undefined if there is none. */
export function unfitArchive(
  settings: ArchiveSettings,
): { message: string; hint: string } | undefined {
  const { archive, archiveKey, indexScope, jetstreamWire, jetstreamHosts } = settings
  if (!archive) return undefined
  if (indexScope !== 'network') {
    return {
      message: `SLIPSTREAM_ARCHIVE is on, but SLIPSTREAM_INDEX_SCOPE is ${indexScope}: the archive covers the whole network.`,
      hint: 'Set SLIPSTREAM_INDEX_SCOPE=network, or leave SLIPSTREAM_ARCHIVE out: other scopes fetch their data from the accounts’ own servers.',
    }
  }
  if (jetstreamWire === 'v1') {
    return {
      message:
        'SLIPSTREAM_ARCHIVE is on, but SLIPSTREAM_JETSTREAM_WIRE is v1, which has no archive.',
      hint: 'Set SLIPSTREAM_JETSTREAM_WIRE=v2 and a v2 host in SLIPSTREAM_JETSTREAM_HOSTS.',
    }
  }
  const host = jetstreamHosts[0]
  if (host === undefined) {
    return {
      message:
        'SLIPSTREAM_ARCHIVE is on, but SLIPSTREAM_JETSTREAM_HOSTS is off: the archive is a Jetstream host’s.',
      hint: 'Name a v2 host in SLIPSTREAM_JETSTREAM_HOSTS, or leave SLIPSTREAM_ARCHIVE out.',
    }
  }
  if (archiveKey !== undefined && host.startsWith('ws:') && settings.allowPrivateHosts === false) {
    return {
      message: `SLIPSTREAM_ARCHIVE_KEY would be sent to ${host} unencrypted.`,
      hint: 'Use a wss:// origin as the first of SLIPSTREAM_JETSTREAM_HOSTS.',
    }
  }
  return undefined
}
