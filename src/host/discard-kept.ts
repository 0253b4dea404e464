import type { KeeperListener, KeeperPort, KeptSession } from '../keeper/index.js'

/** Ends what runs on a terminal that belongs to no session, and lets the keeper forget it. */
export async function discardKept(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  if (!kept.exit) {
    await keeper.signal(kept.id, 'SIGKILL')
    await exitOf(keeper, kept)
  }
  await keeper.forget(kept.id)
}

function exitOf(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => undefined
    const listener: KeeperListener = {
      output: ignore,
      resized: ignore,
      unrecorded: ignore,
      exited: () => resolve(),
      lagging: listen,
    }
    function listen(offset: number): void {
      keeper
        .attach(kept.id, offset, listener)
        .then(result => result.state === 'behind' && listen(result.oldestOffset), reject)
    }
    listen(kept.offset)
  })
}
