import { join } from 'node:path'
import { editSettings, isEditable, type SettingValue, settingsVersion } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import type { ServerExtras } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { serverPipelines } from './server-pipelines.js'

/** Settings, doctor, oneshots and forks, as the commands do them, for the pages of the dashboard. */
export function serverExtras(context: CommandContext, home: Home): ServerExtras {
  const file = join(home.directories.config, 'config.toml')
  /** As if a command ran in that directory, with nobody at a terminal. */
  const at = (cwd: string): CommandContext => ({
    ...context,
    cwd,
    isInteractive: false,
    isOutputTty: false,
    out: () => undefined,
    write: () => undefined,
    json: () => undefined,
  })
  const examine = async (fix: boolean) => {
    const { examine: look } = await import('../doctor/checks.js')
    return look(at('/'), { fix })
  }
  let looking: ReturnType<typeof examine> | null = null
  return {
    pipelines: serverPipelines(at),
    agent: home.loaded.config.oneshot.agent,
    dayUsd: () => openHome(context).loaded.config.runs.day_usd,
    roots: home.loaded.config.projects.roots,
    settings: () => ({
      items: openHome(context)
        .loaded.entries()
        .map(({ key, about, shown, origin }) => ({
          key,
          about,
          shown,
          origin: { ...origin },
          isChangeable: isEditable(key),
        })),
      version: settingsVersion(file),
    }),
    changeSettings: async (changes, version) =>
      editSettings(file, changes as Record<string, SettingValue>, { version }),
    // Looking starts programs: those who ask at the same time get the same look.
    doctor: () => {
      looking ??= examine(false).finally(() => {
        looking = null
      })
      return looking.then(findings =>
        findings.map(finding => ({ ...finding, isFixable: isFixable(finding.check) && finding.level !== 'ok' })),
      )
    },
    doctorFix: async check => {
      if (!isFixable(check))
        throw new SignalboxError('E_STATE', `"${check}" is not repaired while the daemon runs`, {
          next: 'signalbox serve --stop, then signalbox doctor --fix',
        })
      return examine(true)
    },
    startOneshot: async (store, wish) => {
      const { createOneshot } = await import('../commands/oneshot.js')
      const { enterProject } = await import('../project-settings.js')
      const { task, project, isInWorktree, maxCostUsd, trust, ...rest } = wish
      const isApart = isInWorktree === true
      const here = await enterProject(at(project), store, home, { trust, mayAsk: false, isApart })
      return createOneshot(at(project), store, here, task, {
        ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
        ...(isInWorktree !== undefined && { worktree: isInWorktree }),
        ...(maxCostUsd !== undefined && { maxCost: String(maxCostUsd) }),
        detach: true,
        input: false,
      })
    },
    forkRun: async (store, run, { at: place, isRewind }) => {
      const { forkRun } = await import('../commands/fork.js')
      const labels = { ...run.labels, host: 'daemon' }
      return (await forkRun(at(run.project), store, home, run, { at: place, isRewind, labels })).id
    },
    exportAttractor: async (store, run, output) => {
      const { exportAttractor } = await import('../graphs/export-attractor.js')
      await exportAttractor(store, run, { dataDirectory: home.settings.dataDirectory, output })
    },
  }
}

/** Everything else is held by the daemon itself while it runs. */
function isFixable(check: string): boolean {
  return check === 'directories'
}
