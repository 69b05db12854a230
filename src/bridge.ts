// What the serving threads ask of the ingest thread, which owns the only writer connection. Both
// sides share memory for reading; only changes go through here, as small cloneable messages.

/** A request's `id` is echoed in its reply. */
export type WriterRequest = { id: number; did: string } & (
  | { kind: 'member-seen' }
  | { kind: 'mute'; subjectDid: string }
  | { kind: 'unmute'; subjectDid: string }
  /** Something shown to a member is missing: look for it in the background. Each an at-URI or a DID. */
  | { kind: 'wanted'; uris: string[]; dids: string[] }
)

export type WriterReply =
  | { id: number; ok: true }
  | { id: number; ok: false; error: string; message: string }

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** The serving side's view of it: resolves when the change is committed and visible. */
export interface Writer {
  send(request: WithoutId<WriterRequest>): Promise<void>
}
