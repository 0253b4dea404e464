import type { GraphInput } from '../../engine/index.js'
import type { Home } from '../../host/home/index.js'
import { newWorkspace as make } from '../../runs/index.js'

/** A worktree and a branch of its own for a run in this home. */
export function newWorkspace(home: Home, wish: Parameters<typeof make>[1]): Promise<GraphInput['workspace']> {
  return make(home.settings.dataDirectory, wish)
}
