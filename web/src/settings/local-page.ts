/** Only this machine can open the page. */
export function isLocalPage(): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname)
}
