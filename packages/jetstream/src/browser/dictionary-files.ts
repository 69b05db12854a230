// In place of dictionaries/dictionary-files.ts in a browser, where dictionaries are kept only as long as the page.

export async function readStored(): Promise<undefined> {}

export async function store(): Promise<void> {}

export async function removeStored(): Promise<void> {}

export async function readOwn(path: string): Promise<never> {
  throw new Error(`a browser has no file ${path}: give the address of the v1 dictionary`)
}
