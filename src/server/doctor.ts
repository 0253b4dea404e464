import { type DoctorFinding, examine } from '../doctor/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Host } from '../host/index.js'
import type { WorkerHub } from '../workers/index.js'

interface DoctorOptions {
  env: NodeJS.ProcessEnv
  version: string
  host: Pick<Host, 'loop' | 'readers'>
  workers: Pick<WorkerHub, 'compare'> | null
}

/** The checks that can be repaired while the daemon runs; it holds everything else itself. */
const FIXABLE: readonly string[] = ['directories']

/** The checks of `signalbox doctor` for the dashboard. */
export class Doctor {
  readonly #options: DoctorOptions
  #running: Promise<DoctorFinding[]> | null = null

  constructor(options: DoctorOptions) {
    this.#options = options
  }

  /** The checks start programs, so concurrent requests share one examination. */
  async findings(): Promise<(DoctorFinding & { isFixable: boolean })[]> {
    this.#running ??= this.#examine({ fix: false }).finally(() => {
      this.#running = null
    })
    const findings = await this.#running
    return findings.map(finding => ({
      ...finding,
      isFixable: FIXABLE.includes(finding.check) && finding.level !== 'ok',
    }))
  }

  /** @throws SignalboxError `E_STATE` */
  async fix(check: string): Promise<DoctorFinding[]> {
    if (!FIXABLE.includes(check))
      throw new SignalboxError('E_STATE', `"${check}" cannot be repaired while the daemon runs`, {
        next: 'signalbox serve --stop, then signalbox doctor --fix',
      })
    return this.#examine({ fix: true })
  }

  #examine(options: { fix: boolean }): Promise<DoctorFinding[]> {
    const { env, version, host, workers } = this.#options
    const daemon = async () => ({ pid: process.pid, version, loop: host.loop.view, readers: host.readers })
    return examine({ env, cwd: '/', daemon, workers: async () => (await workers?.compare()) ?? null }, options)
  }
}
