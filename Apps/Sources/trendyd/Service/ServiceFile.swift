import CommandSupport

/// File for a service manager: a systemd unit, its user, or a launchd job.
///
/// Used by `service install`, `service print` and `make install`.
struct ServiceFile: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case systemUnit
    case userUnit
    case systemUser
    case launchAgent
  }

  let kind: Kind
  /// File name: `trendy-hub.service`.
  let name: String
  private let body: String
  private static let programMark = "@PROGRAM@"

  /// Marks files that may be replaced and removed.
  static let mark = "Written by trendyd service install"

  /// Name in `service print`; user units have the prefix `user/`, because some names occur twice.
  var label: String { kind == .userUnit ? "user/\(name)" : name }

  /// Returns the content of the file.
  /// - Parameter program: the absolute path of `trendyd`.
  func text(program: String) -> String {
    switch kind {
    case .systemUnit, .userUnit:
      let scope = kind == .userUnit ? "systemctl --user edit" : "systemctl edit"
      return "# \(Self.mark). Changes belong into a drop-in: \(scope) \(name)\n"
        + body.replacing(Self.programMark, with: Self.quoted(program))
    case .systemUser: return "# \(Self.mark).\n" + body
    case .launchAgent: return body.replacing(Self.programMark, with: Self.escaped(program))
    }
  }

  /// Quoted argument in a systemd command line (systemd.service(5)).
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

  /// System hub, with a dedicated user that can only serve and write its folder.
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

  /// Replaces `--listen`: systemd listens, also while the hub restarts.
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

  /// The agent runs the user's hooks, which have the user's permissions but cannot gain others.
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

  /// Restarting after a usage or configuration error (64, 78) would fail again.
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

  /// Sandbox options of systemd that a hub can run with.
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
