import CommandSupport

/// File for the service manager: a systemd unit, the definition of its system user, or a launchd job.
struct ServiceFile: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case systemUnit
    case userUnit
    case systemUser
    case launchAgent
  }

  let kind: Kind
  /// File name, such as `trendy-hub.service`.
  let name: String
  private let body: String
  private static let programMark = "@PROGRAM@"

  /// Text that marks files written by this program. Only marked files are overwritten or removed.
  static let mark = "Written by trendyd service install"

  /// Name for `trendyd service print`. User units have the prefix `user/`, because a system unit may have the same
  /// name.
  var label: String { kind == .userUnit ? "user/\(name)" : name }

  func text(program: String) -> String {
    switch kind {
    case .systemUnit, .userUnit:
      let scope = kind == .userUnit ? "systemctl --user edit" : "systemctl edit"
      return "# \(Self.mark). Put changes in a drop-in: \(scope) \(name)\n"
        + body.replacing(Self.programMark, with: Self.quoted(program))
    case .systemUser: return "# \(Self.mark).\n" + body
    case .launchAgent: return body.replacing(Self.programMark, with: Self.escaped(program))
    }
  }

  /// Quotes an argument for a command line in a systemd unit (systemd.service(5)).
  private static func quoted(_ path: String) -> String {
    let text = path.replacing("%", with: "%%").replacing("$", with: "$$")
    guard text.contains(where: { $0.isWhitespace || "\"'\\;".contains($0) }) else { return text }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func escaped(_ path: String) -> String {
    path.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

extension ServiceFile {
  static let all = [hub, hubSocket, hubUser, userHub, userAgent, launchAgent]

  /// Hub as a system service, which runs as a dedicated user and can write only to its data folder.
  static let hub = ServiceFile(
    kind: .systemUnit, name: "trendy-hub.service",
    body: """
      [Unit]
      Description=Trendy hub
      After=network.target

      \(service(role: "hub"))
      ExecStartPre=@PROGRAM@ hub init --if-missing --quiet
      User=trendy
      Group=trendy
      Environment=TRENDY_HUB_DATA=/var/lib/trendy-hub
      StateDirectory=trendy-hub
      StateDirectoryMode=0700
      \(hubRestrictions)
      LimitNOFILE=65536
      CapabilityBoundingSet=
      AmbientCapabilities=
      DevicePolicy=closed
      PrivateDevices=yes
      PrivateIPC=yes
      PrivateMounts=yes
      PrivateTmp=yes
      PrivateUsers=yes
      ProcSubset=pid
      ProtectClock=yes
      ProtectControlGroups=yes
      ProtectHome=yes
      ProtectHostname=yes
      ProtectKernelLogs=yes
      ProtectKernelModules=yes
      ProtectKernelTunables=yes
      ProtectProc=invisible
      ProtectSystem=strict
      RemoveIPC=yes

      [Install]
      WantedBy=multi-user.target

      """)

  /// Socket unit for the hub, used instead of `--listen`. systemd keeps accepting connections while the hub restarts.
  static let hubSocket = ServiceFile(
    kind: .systemUnit, name: "trendy-hub.socket",
    body: """
      [Unit]
      Description=Socket of the Trendy hub

      [Socket]
      ListenStream=127.0.0.1:8787
      FileDescriptorName=hub
      NoDelay=yes

      [Install]
      WantedBy=sockets.target

      """)

  static let hubUser = ServiceFile(
    kind: .systemUser, name: "trendy.conf", body: "u trendy - \"Trendy hub\" /var/lib/trendy-hub\n")

  static let userHub = ServiceFile(
    kind: .userUnit, name: "trendy-hub.service",
    body: """
      [Unit]
      Description=Trendy hub

      \(service(role: "hub"))
      ExecStartPre=@PROGRAM@ hub init --if-missing --quiet
      \(hubRestrictions)

      [Install]
      WantedBy=default.target

      """)

  /// Agent as a user service. The agent is sandboxed less than the hub, because it runs hooks with the user's
  /// permissions.
  static let userAgent = ServiceFile(
    kind: .userUnit, name: "trendy-agent.service",
    body: """
      [Unit]
      Description=Trendy agent

      \(service(role: "agent"))
      UMask=0077
      LockPersonality=yes
      NoNewPrivileges=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      SystemCallArchitectures=native

      [Install]
      WantedBy=default.target

      """)

  static let launchAgent = ServiceFile(
    kind: .launchAgent, name: "net.trendy.agent.plist",
    body: """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <!-- \(mark). -->
      <plist version="1.0">
      <dict>
        <key>Label</key><string>net.trendy.agent</string>
        <key>ProgramArguments</key>
        <array><string>@PROGRAM@</string><string>run</string><string>--role</string><string>agent</string></array>
        <key>RunAtLoad</key><true/>
        <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
        <key>ThrottleInterval</key><integer>10</integer>
        <key>ProcessType</key><string>Background</string>
        <key>Umask</key><integer>63</integer>
      </dict>
      </plist>

      """)

  /// The service is not restarted after exit 64 or 78, because a usage or configuration error would recur.
  private static func service(role: String) -> String {
    """
    [Service]
    Type=notify
    ExecStart=@PROGRAM@ run --role \(role)
    ExecReload=kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=2
    RestartPreventExitStatus=64 78
    TimeoutStartSec=300
    TimeoutStopSec=10
    WatchdogSec=120
    """
  }

  /// systemd sandboxing options that are compatible with the hub.
  private static let hubRestrictions = """
    UMask=0077
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    NoNewPrivileges=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallErrorNumber=EPERM
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged @resources
    """
}
