type Value = Record<string, unknown>

export type Act =
  | { kind: 'put'; did: string; collection: string; rkey: string; value: Value; madeAs?: string }
  | { kind: 'remove'; did: string; collection: string; rkey: string }
  | { kind: 'rename'; did: string; handle: string }
  | { kind: 'account'; did: string; status: 'deactivated' | 'takendown' | 'deleted' | undefined }

export type TimedAct = Act & { atMs: number }
