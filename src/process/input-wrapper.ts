import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { linkOf, textOf } from './proc-files.js'
import { treeOf } from './process-tree.js'

/** Programs that run another one in a container, in a sandbox or on another machine. */
const WRAPPERS = new Set([
  ...['docker', 'podman', 'nerdctl', 'container', 'lxc', 'incus', 'kubectl', 'devcontainer', 'distrobox', 'toolbox'],
  ...['ssh', 'mosh', 'bwrap', 'firejail', 'sandbox-exec', 'srt', 'flatpak', 'systemd-run', 'systemd-nspawn'],
  ...['unshare', 'nsenter', 'chroot', 'vagrant', 'limactl', 'orb', 'multipass', 'wsl'],
])
/** What a program sees of the machine: files, users, processes. */
const NAMESPACES = ['mnt', 'user', 'pid']

/** The word of a command line that names such a program; null without one. */
export function wrapperIn(words: readonly string[]): string | null {
  return words.map(word => basename(word)).find(word => WRAPPERS.has(word)) ?? null
}

/**
 * Among the programs that read the same input as a process: the one that runs in a container or a
 * sandbox, or connects to another machine. Null if there is none, or the system does not say.
 * Commands that the process has started with another input do not count.
 */
export function inputWrapper(pid: number): string | null {
  const input = linkOf(pid, '0')
  if (input === '') return null
  for (const reader of treeOf(pid).pids) {
    if (linkOf(reader, '0') !== input) continue
    const program = textOf(`/proc/${reader}/comm`)?.trim() ?? ''
    const isInside = NAMESPACES.some(name => namespaceOf(reader, name) !== namespaceOf('self', name))
    if (program !== '' && (WRAPPERS.has(program) || isInside)) return program
  }
  return null
}

function namespaceOf(pid: number | 'self', name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/${name}`)
  } catch {
    return ''
  }
}
