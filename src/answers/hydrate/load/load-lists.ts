import { emptyProfileState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { ProfileState } from '../types.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'

export function loadListsOnly(
  loader: Loader,
  ids: readonly number[],
  reader: Reader,
): ProfileState {
  const state = emptyProfileState(reader, loader.context.urls)
  loadLists(loader, state, new Set(ids))
  const creators = new Set([...state.lists.values()].map(({ uid }) => uid))
  loadAccounts(loader, state, creators)
  // Adds the lists by which the viewer and the creators block or mute.
  loadLists(loader, state, new Set())
  return state
}
