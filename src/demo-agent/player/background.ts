import { startCommand } from '../tools/run-command.js'
import type { Surface } from './surface.js'

/** Commands that continue after the turn that started them. */
export class Background {
  private readonly running = new Map<number, { label: string; kill: () => void }>()

  constructor(
    private readonly surface: () => Surface,
    private readonly cwd: string,
  ) {}

  start(command: string | string[], label: string): void {
    const child = startCommand(command, this.cwd, () => undefined)
    this.running.set(child.pid, { label, kill: child.kill })
    this.show()
    void child.ended.then(({ exitCode }) => {
      this.running.delete(child.pid)
      this.show()
      this.surface().notice(`Background command "${label}" completed (exit code ${exitCode})`)
    })
  }

  stopAll(): void {
    for (const { kill } of this.running.values()) kill()
  }

  private show(): void {
    this.surface().setBackground([...this.running.values()].map(({ label }) => label))
  }
}
