// Where the client says what happens to its connections.

type Line = (fields: object, message: string) => void

/** A logger of pino fits. */
export type Logger = { info: Line; warn: Line; error: Line }
