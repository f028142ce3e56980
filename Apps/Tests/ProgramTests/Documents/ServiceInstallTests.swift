import Foundation
import Testing
import TrendyModels

#if canImport(Glibc)
  import Glibc
#endif

/// Tests `trendyd service`. The generated files are checked with the tools of systemd.
@Suite("Services", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ServiceInstallTests {
  let bench: Workbench
  private static let hasSystemd = FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze")

  init() throws { bench = try Workbench() }

  private func service(_ words: String..., destination: String? = nil) throws -> Workbench.Result {
    var environment = ["XDG_CONFIG_HOME": bench.folder.appending(path: "config").path]
    environment["DESTDIR"] = destination
    return try bench.run("trendyd", ["service"] + words, environment: environment)
  }

  private func content(_ path: String) throws -> String {
    try String(contentsOf: bench.folder.appending(path: path), encoding: .utf8)
  }

  @Test
  func `the user agent's unit is installed with the command that starts it, and removed again`()
    throws
  {
    let installed = try service("install", "--user")
    #expect(installed.status == 0, "\(installed.talk)")
    let unit = try content("config/systemd/user/trendy-agent.service")
    #expect(unit.contains("ExecStart=\(Workbench.path("trendyd")) run --role agent\n"), "\(unit)")
    #expect(unit.contains("Type=notify\n") && unit.contains("ExecReload=kill -HUP $MAINPID\n"))
    #expect(installed.output.contains("systemctl --user enable --now trendy-agent.service"), "\(installed.output)")
    let again = try service("install", "--user", "--json")
    #expect(try again.document.objectValue?["files"]?.arrayValue?.first?.objectValue?["changed"] == false)
    #expect(try service("remove", "--user").status == 0)
    #expect(
      !FileManager.default.fileExists(
        atPath: bench.folder.appending(path: "config/systemd/user/trendy-agent.service").path))
    #expect(try service("remove", "--user").status == 66)
  }

  @Test func `a unit that another program wrote is neither replaced nor removed`() throws {
    let folder = bench.folder.appending(path: "config/systemd/user")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("[Service]\nExecStart=/bin/mine\n".utf8).write(to: folder.appending(path: "trendy-agent.service"))
    let installed = try service("install", "--user")
    #expect(installed.status == 73 && installed.talk.contains("was not written by trendyd"), "\(installed.talk)")
    #expect(try service("remove", "--user").status == 77)
    #expect(try content("config/systemd/user/trendy-agent.service") == "[Service]\nExecStart=/bin/mine\n")
  }

  @Test func `a role that the scope does not support is rejected`() throws {
    let agent = try service("install", "--role", "agent", destination: bench.store("root"))
    #expect(agent.status == 64 && agent.talk.contains("trendyd service install --user"), "\(agent.talk)")
    #expect(try service("install", "--role", "watch", "--user").status == 64)
    #expect(!FileManager.default.fileExists(atPath: bench.store("root")))
  }

  @Test func `a system service is not installed for a program in a private folder`() throws {
    let hidden = bench.folder.appending(path: "trendyd")
    // Copy the program in another process. If this process wrote the file, a program that another test starts at that
    // moment would inherit the open descriptor, and running the copy would fail with ETXTBSY.
    try #require(try bench.shell("cp '\(Workbench.path("trendyd"))' '\(hidden.path)'").status == 0)
    let result = try bench.run(hidden.path, ["service", "install"], environment: ["DESTDIR": bench.store("root")])
    #expect(result.status == 78 && result.talk.contains("make install"), "\(result.talk)")
    #expect(!FileManager.default.fileExists(atPath: bench.store("root")))
  }

  @Test(
    "systemd-analyze verify reports nothing for the units",
    .enabled(if: hasSystemd, "systemd-analyze is not installed"),
    arguments: ["trendy-hub.service", "user/trendy-hub.service", "user/trendy-agent.service"])
  func verified(name: String) throws {
    let printed = try service("print", name, "--program", "/bin/true")
    #expect(printed.status == 0, "\(printed.talk)")
    let file = bench.folder.appending(path: String(name.split(separator: "/").last ?? ""))
    try Data(printed.output.utf8).write(to: file)
    try Data(try service("print", "trendy-hub.socket").output.utf8).write(
      to: bench.folder.appending(path: "trendy-hub.socket"))
    let files = name.hasPrefix("user/") ? file.path : "\(file.path) \(bench.folder.path)/trendy-hub.socket"
    let scope = name.hasPrefix("user/") ? "--user" : "--system"
    let verified = try bench.shell(
      "XDG_RUNTIME_DIR='\(bench.folder.path)' systemd-analyze verify \(scope) \(files)")
    #expect(verified.status == 0 && verified.talk.isEmpty, "\(verified.talk)")
  }

  @Test(.enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func `the security exposure of the hub's unit is at most 2.0 according to systemd`() throws {
    let file = bench.folder.appending(path: "trendy-hub.service")
    try Data(try service("print", "trendy-hub.service", "--program", "/bin/true").output.utf8).write(to: file)
    let judged = try bench.shell("systemd-analyze security --offline=true --no-pager --threshold=20 \(file.path)")
    #expect(judged.status == 0, "\(judged.output)\(judged.talk)")
  }

  @Test func `the launchd job is a property list that starts the agent`() throws {
    let printed = try service("print", "net.trendy.agent.plist", "--program", "/opt/a & b/trendyd")
    let list = try PropertyListSerialization.propertyList(from: Data(printed.output.utf8), format: nil)
    let members = try #require(list as? [String: Any])
    #expect(members["ProgramArguments"] as? [String] == ["/opt/a & b/trendyd", "run", "--role", "agent"])
  }

  @Test(.enabled(if: getuid() == 0, "only root can act for somebody else"))
  func `files that root creates in another user's hub belong to that user`() throws {
    let data = bench.store("hub")
    try #require(try bench.run("trendyd", ["hub", "init", "--data", data]).status == 0)
    try #require(try bench.shell("chmod 711 '\(bench.folder.path)'; chown -R 65534:65534 '\(data)'").status == 0)
    #expect(try bench.trendyd("user", "add", "Ada", "--data", data).status == 0)
    #expect(try bench.trendyd("pair", "--name", "Ada", "--data", data).status == 0)
    let strangers = try bench.shell("find '\(data)' ! -uid 65534")
    #expect(strangers.output.isEmpty, "\(strangers.output)")
  }
}
