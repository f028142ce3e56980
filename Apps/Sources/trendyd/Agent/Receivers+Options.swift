import CommandSupport
import HubContainer

extension Receivers.Sources {
  static let options = [
    OptionSpec(
      "--ingest", value: "address:port", kind: .text,
      help: "address at which the agent accepts posts from trackers: 127.0.0.1:8788"),
    OptionSpec("--gpsd", value: "host[:port]", kind: .text, help: "read positions from gpsd (default port 2947)"),
    OptionSpec(
      "--nmea", value: "path[@baud]", kind: .file,
      help: "read positions from an NMEA device or file"),
  ]

  init(_ session: DaemonSession) throws(CommandError) {
    let hosts = session.settings.text(Setting.host)?.split { $0 == " " || $0 == "," }.map(String.init)
    allowedHosts = session.arguments.has("--host") ? session.arguments.all("--host") : hosts ?? []
    listen = try Self.listen(session)
    gpsd = session.value("--gpsd", Setting.gpsd).map { Self.gpsd($0) }
    nmea = try Self.nmea(session)
  }

  private static func listen(_ session: DaemonSession) throws(CommandError) -> (address: String, port: UInt16)? {
    guard let text = session.value("--ingest", Setting.ingest) else { return nil }
    guard let endpoint = HubSettings.Endpoint(text) else {
      throw session.invalid("--ingest", Setting.ingest, hint: "Use an address such as 127.0.0.1:8788.")
    }
    return (endpoint.address, endpoint.port)
  }

  private static func gpsd(_ text: String) -> (host: String, port: String) {
    let parts = text.split(separator: ":", maxSplits: 1)
    return (parts.first.map(String.init) ?? "localhost", parts.count > 1 ? String(parts[1]) : "2947")
  }

  private static func nmea(_ session: DaemonSession) throws(CommandError) -> (path: String, baud: Int?)? {
    guard let text = session.value("--nmea", Setting.nmea) else { return nil }
    // A path may contain `@`. Only a number after the last `@` is a baud rate.
    guard let at = text.lastIndex(of: "@"), let baud = Int(text[text.index(after: at)...]) else { return (text, nil) }
    guard ByteSource.speeds.keys.contains(baud) else {
      let speeds = ByteSource.speeds.keys.sorted().map { "\($0)" }.joined(separator: ", ")
      throw session.invalid("--nmea", Setting.nmea, hint: "Use one of the baud rates \(speeds).")
    }
    return (String(text[..<at]), baud)
  }
}
