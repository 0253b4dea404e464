import { existsSync } from 'node:fs'

/*
 * How a program in a sandbox with a filtered network is started: beside the bridge (bridge-main.ts)
 * that makes the socket of the proxy a port. Node takes longer to start than everything else of a
 * sandbox. If the image has perl, perl opens the port, starts the bridge in the background and
 * executes the program at once: connections wait in the port's queue until the bridge is ready.
 */

interface Program {
  file: string
  args: readonly string[]
}

export const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
/** Node's own fetch uses a proxy only with this variable (Node 24, 22.21). */
export const PROXY_SETTINGS = { NODE_USE_ENV_PROXY: '1' }

const PERL = ['/usr/bin/perl', '/bin/perl']
/** Uses no modules: loading `Socket` doubles the start-up time. 2 = AF_INET, 1 = SOCK_STREAM. */
const OPEN_PORT = `$^F = 99; my $s;
socket($s, 2, 1, 0) and bind($s, pack("S n C4 x8", 2, 0, 127, 0, 0, 1)) and listen($s, 128) or die "no port: $!\\n";
my ($family, $port) = unpack("S n", getsockname($s));
my $fd = fileno($s);
my ($node, $bridge, $proxy, @program) = @ARGV;
if (fork() == 0) {
  setpgrp(0, 0);
  open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null"); open(STDERR, ">", "/dev/null");
  exec { $node } $node, $bridge, $proxy, "--fd", $fd or exit 1;
}
close($s);
$ENV{$_} = "http://127.0.0.1:$port" for qw(${PROXY_VARIABLES.join(' ')});
$ENV{NODE_USE_ENV_PROXY} = "${PROXY_SETTINGS.NODE_USE_ENV_PROXY}";
exec { $program[0] } @program or die "$program[0]: $!\\n";`

/** The program beside its bridge. */
export function bridgedProgram(bridge: string, proxySocket: string, { file, args }: Program): Program {
  const perl = PERL.find(path => existsSync(path))
  const words = [bridge, proxySocket, file, ...args]
  if (perl === undefined) return { file: process.execPath, args: words }
  return { file: perl, args: ['-e', OPEN_PORT, process.execPath, ...words] }
}
