import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAlive, processStart } from './process-info.js'

/** This process, so that other processes on this machine can check whether it is still alive. */
export function ownName(): string {
  return `${machineName()}:${process.pid}:${processStart(process.pid) ?? ''}`
}

/** Whether a process runs; `unknown` for one of another machine. */
export function ownerState(owner: string): 'alive' | 'gone' | 'unknown' {
  const [machine, pid, start] = owner.split(':')
  if (machine !== machineName()) return 'unknown'
  if (!isAlive(Number(pid))) return 'gone'
  return start !== '' && processStart(Number(pid)) !== start ? 'gone' : 'alive'
}

/**
 * Only what is certain counts: a process of this machine that has ended. Others let their lease run
 * out.
 */
export function isOwnerGone(owner: string): boolean {
  return ownerState(owner) === 'gone'
}

let known: string | null = null

/**
 * Where process ids mean the same processes as here. Host names do not identify a machine: two
 * containers may have the same one. On Linux it is the boot of the kernel and the namespace of
 * process ids.
 */
function machineName(): string {
  known ??= `${hostname()}-${createHash('sha256').update(bootAndNamespace()).digest('hex').slice(0, 8)}`
  return known
}

function bootAndNamespace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}
