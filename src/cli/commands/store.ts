import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { storeFile, storeName } from '../../host/index.js'
import { readPasswordFile } from '../../store/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'store'>): Promise<number> {
  if (args.action === 'move') return move(context, options)
  if (args.action !== undefined)
    throw new SignalboxError('E_INPUT', `unknown action "${args.action}"`, { next: 'signalbox store move --to <url>' })
  return withStore(context, async (store, { settings }) => {
    const [place, events] = [storeName(settings), await store.head()]
    if (options.json) context.json({ store: place, id: store.id, events })
    else context.out(`${place}: ${plural(events, 'event')}, id ${store.id}`)
    return EXIT.ok
  })
}

async function move(context: CommandContext, { to, json }: InputOf<'store'>['options']): Promise<number> {
  if (to === undefined) throw new SignalboxError('E_INPUT', 'store move needs --to <url>')
  const { settings, loaded } = openHome(context)
  if (settings.sharedStore)
    throw new SignalboxError('E_STORE_MOVE', `the events are already in ${settings.sharedStore.url}`, {
      next: 'only a SQLite store can be moved',
    })
  if (await DaemonClient.running(context))
    throw new SignalboxError('E_STORE_MOVE', 'the daemon is running', { next: 'signalbox serve --stop' })
  const { moveStore } = await import('../../store/move/index.js')
  const passwordFile = loaded.config.store.password_file
  const moved = await moveStore({
    path: storeFile(settings.dataDirectory),
    url: to,
    ...(passwordFile !== null && { password: readPasswordFile(passwordFile) }),
    clock: systemClock,
  })
  if (json) context.json({ store: to, ...moved })
  else {
    context.out(`${plural(moved.events, 'event')} moved to ${to}; the chain of the ledger is intact`)
    context.out(`Now set it in ${settings.settingsFile}:\n\n[store]\nurl = "${to}"`)
  }
  return EXIT.ok
}
