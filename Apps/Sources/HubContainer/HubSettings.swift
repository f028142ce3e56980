import TrendyAgent
public import CommandSupport
public import Foundation
public import TrendyHub
import TrendyHubPostgres
import TrendyModels

/// Settings of a hub. `trendyd hub init` saves them in `hub.json` in the hub's folder. Options of `trendyd run` take
/// precedence.
public struct HubSettings: Hashable, Sendable, Codable {
  /// Address of a PostgreSQL database, without a password, or `nil` if the data is in the folder.
  public var storage: String?
  /// Listening address as `address:port`, or `nil` for ``standardListen``.
  public var listen: String?
  /// Additional host names that requests may use.
  public var hosts: [String] = []
  /// URL for devices, if it differs from the listening address, for example the URL of a reverse proxy.
  public var address: String?
  /// Trusted reverse proxies, as in ``HubConfiguration/trustedProxies``.
  public var proxies: [String] = []
  /// Folder or URL of map tiles for ``MapTiles``, or `nil` for none.
  public var tiles: String?
  /// Attribution shown on maps.
  public var tilesCredit: String?
  /// Limits, keyed by a name from ``limitNames``.
  public var limits: [String: String] = [:]

  public static let standardListen = "127.0.0.1:8787"

  public init() {}

  /// Decodes the settings. Missing members have default values.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    storage = try members.decodeIfPresent(String.self, forKey: .storage)
    listen = try members.decodeIfPresent(String.self, forKey: .listen)
    hosts = try members.decodeIfPresent([String].self, forKey: .hosts) ?? []
    address = try members.decodeIfPresent(String.self, forKey: .address)
    proxies = try members.decodeIfPresent([String].self, forKey: .proxies) ?? []
    tiles = try members.decodeIfPresent(String.self, forKey: .tiles)
    tilesCredit = try members.decodeIfPresent(String.self, forKey: .tilesCredit)
    limits = try members.decodeIfPresent([String: String].self, forKey: .limits) ?? [:]
  }

  /// Returns these settings, overridden by the command-line options.
  /// - Throws: ``CommandError`` if a value is invalid.
  public func overridden(by arguments: Arguments) throws(CommandError) -> HubSettings {
    var settings = self
    if let text = arguments.value("--storage") { settings.storage = text }
    if let text = arguments.value("--listen") { settings.listen = text }
    if arguments.has("--host") { settings.hosts = arguments.all("--host") }
    if let text = arguments.value("--url") { settings.address = text }
    if arguments.has("--proxy") { settings.proxies = arguments.all("--proxy") }
    if let text = arguments.value("--tiles") {
      // A relative path would be wrong for a service, which runs in a different working directory.
      settings.tiles = text.contains("://") ? text : URL(filePath: text).standardized.path
    }
    if let text = arguments.value("--tiles-credit") { settings.tilesCredit = text }
    try settings.take(limits: arguments.all("--limit"))
    try settings.check()
    return settings
  }

  /// Validates all settings.
  /// - Throws: ``CommandError`` for the first invalid setting.
  func check() throws(CommandError) {
    if let storage { try Self.check(storage: storage) }
    _ = try endpoint()
    for proxy in proxies where NetworkAddressRange(proxy) == nil {
      throw Self.invalid("--proxy", proxy, "Use an address or an address block: 127.0.0.1, 10.0.0.0/8, fd00::/8.")
    }
    for host in hosts where host.isEmpty || host.contains(where: { $0 == "/" || $0.isWhitespace }) {
      throw Self.invalid("--host", host, "Use a name or an address, without http:// and without a port.")
    }
    if let address, Self.host(of: address) == nil {
      throw Self.invalid("--url", address, "Use an address such as https://hub.example.")
    }
    if let tiles, MapTiles(tiles) == nil {
      throw Self.invalid(
        "--tiles", tiles,
        "Use the absolute path of a folder, or an address such as https://tiles.example/{z}/{x}/{y}.png.")
    }
    _ = try httpLimits()
    _ = try requestsPerMinute()
    _ = try importBytes()
    _ = try quota()
  }

  /// Validates the address of a database. The error does not contain the address, which may include a password.
  public static func check(storage: String, option: String = "--storage") throws(CommandError) {
    do {
      _ = try PostgresHubStorage(address: storage)
    } catch {
      throw CommandError(
        "The value is invalid for '\(option)': \(error)",
        hint: "Use an address such as postgres://trendy@db.lan/trendy.",
        exit: .usage)
    }
  }

  static func invalid(_ option: String, _ value: String, _ hint: String) -> CommandError {
    CommandError("The value '\(value)' is invalid for '\(option)'", hint: hint, exit: .usage)
  }
}

// MARK: Limits

extension HubSettings {
  /// HTTP limits, named like the properties of ``HTTPLimits``.
  enum HTTPLimit: String, CaseIterable {
    case headBytes, targetBytes, headerFields, bodyBytes, connections, connectionsPerAddress
    case headDeadline, idleDeadline, bodyDeadline, sendIdleDeadline, stopDeadline

    var number: (field: WritableKeyPath<HTTPLimits, Int>, range: ClosedRange<Int>)? {
      switch self {
      case .headBytes: (\.headBytes, 1024...1 << 20)
      case .targetBytes: (\.targetBytes, 256...1 << 20)
      case .headerFields: (\.headerFields, 8...10_000)
      case .bodyBytes: (\.bodyBytes, 4096...1 << 30)
      case .connections: (\.connections, 1...1 << 20)
      case .connectionsPerAddress: (\.connectionsPerAddress, 1...1 << 20)
      default: nil
      }
    }

    var duration: (field: WritableKeyPath<HTTPLimits, Duration>, range: ClosedRange<Int>)? {
      switch self {
      case .headDeadline: (\.headDeadline, 1...3600)
      case .idleDeadline: (\.idleDeadline, 1...86_400)
      case .bodyDeadline: (\.bodyDeadline, 1...86_400)
      case .sendIdleDeadline: (\.sendIdleDeadline, 1...86_400)
      case .stopDeadline: (\.stopDeadline, 0...300)
      default: nil
      }
    }
  }

  private static let requestsPerMinuteName = "requestsPerMinute"
  private static let importBytesName = "importBytes"
  private static let quotaNames = (rows: "personRows", bytes: "personBytes")
  /// Names of limits that do not concern HTTP connections.
  private static let otherNames = [requestsPerMinuteName, importBytesName, quotaNames.rows, quotaNames.bytes]

  /// Names accepted by `--limit NAME=VALUE`.
  public static var limitNames: [String] {
    otherNames + HTTPLimit.allCases.map(\.rawValue)
  }

  /// Returns the maximum size of an imported file in bytes.
  /// - Throws: ``CommandError`` if the configured value is invalid.
  public func importBytes() throws(CommandError) -> Int64 {
    guard let text = limits[Self.importBytesName] else { return 4 << 30 }
    guard let number = Int64(text), (4096...1 << 40).contains(number) else {
      throw Self.invalid(
        "--limit", "\(Self.importBytesName)=\(text)", "Use a number of bytes from 4096 to \(Int64(1) << 40).")
    }
    return number
  }

  /// Returns the default quota for users.
  /// - Throws: ``CommandError`` if the configured value is invalid.
  public func quota() throws(CommandError) -> HubQuota {
    func number(_ name: String) throws(CommandError) -> Int64? {
      guard let text = limits[name], text != "none" else { return nil }
      guard let number = Int64(text), number >= 0 else {
        throw Self.invalid("--limit", "\(name)=\(text)", "Use a whole number or none.")
      }
      return number
    }
    return HubQuota(rows: try number(Self.quotaNames.rows), bytes: try number(Self.quotaNames.bytes))
  }

  /// Returns the configured maximum number of connections, or `nil` for as many as possible.
  /// - Throws: ``CommandError`` if a limit is invalid.
  public func connections() throws(CommandError) -> Int? {
    try limits[HTTPLimit.connections.rawValue] == nil ? nil : httpLimits().connections
  }

  /// Returns the maximum number of each device's requests per minute, or `nil` for no limit.
  /// - Throws: ``CommandError`` if the configured value is invalid.
  public func requestsPerMinute() throws(CommandError) -> Int? {
    guard let text = limits[Self.requestsPerMinuteName] else { return HubConfiguration().requestsPerMinute }
    if text == "none" { return nil }
    guard let number = Int(text), (1...1_000_000).contains(number) else {
      throw Self.invalid("--limit", "requestsPerMinute=\(text)", "Use a number from 1 to 1000000, or none.")
    }
    return number
  }

  /// Returns the limits for HTTP connections. By default, open connections have 400 ms to finish when the hub shuts
  /// down, so that it exits within a second.
  /// - Throws: ``CommandError`` if a name or a value is invalid.
  public func httpLimits() throws(CommandError) -> HTTPLimits {
    var result = HTTPLimits()
    result.stopDeadline = .milliseconds(400)
    for (name, text) in limits.sorted(by: { $0.key < $1.key })
    where !Self.otherNames.contains(name) {
      guard let limit = HTTPLimit(rawValue: name) else {
        let near = Suggestion.nearest(to: name, among: Self.limitNames)
        throw Self.invalid(
          "--limit", "\(name)=\(text)",
          near.map { "Did you mean '\($0)'?" } ?? "Limits: \(Self.limitNames.joined(separator: ", ")).")
      }
      if let (field, range) = limit.number {
        guard let number = Int(text), range.contains(number) else {
          throw Self.invalid(
            "--limit", "\(name)=\(text)", "Use a number from \(range.lowerBound) to \(range.upperBound).")
        }
        result[keyPath: field] = number
      } else if let (field, range) = limit.duration {
        guard let seconds = DurationPhrase.seconds(text), range.contains(Int(seconds)) else {
          throw Self.invalid(
            "--limit", "\(name)=\(text)",
            "Use a duration from \(range.lowerBound)s to \(range.upperBound)s, such as 10s.")
        }
        result[keyPath: field] = .seconds(seconds)
      }
    }
    return result
  }
}

// MARK: File

extension HubSettings {
  static let fileName = "hub.json"

  /// Loads the settings from a hub's folder, or returns the defaults if there are none.
  /// - Throws: ``CommandError`` if the file cannot be read or is invalid, because running with defaults would be
  ///   unsafe.
  public static func load(from directory: URL) throws(CommandError) -> HubSettings {
    let file = directory.appending(path: fileName)
    guard let data = FileManager.default.contents(atPath: file.path) else {
      guard !FileManager.default.fileExists(atPath: file.path) else {
        throw CommandError("Cannot read \(file.path)", hint: "Check its permissions.", exit: .configuration)
      }
      return HubSettings()
    }
    let settings: HubSettings
    do {
      settings = try WireJSON.decode(HubSettings.self, from: data)
    } catch {
      throw CommandError(
        "Cannot read \(file.path): \(error)", hint: "Correct the file, or delete it and specify the options again.",
        exit: .configuration)
    }
    do {
      try settings.check()
    } catch {
      throw CommandError("\(file.path): \(error.message)", hint: error.hint, exit: .configuration)
    }
    return settings
  }

  public func save(to directory: URL) throws(CommandError) {
    let file = directory.appending(path: Self.fileName)
    do {
      try OwnerOnlyFile.replace(file, with: try WireJSON.encode(self))
    } catch {
      throw CommandError(
        "Cannot write \(file.path): \(error)", hint: "Check the permissions of the folder.", exit: .cannotCreate)
    }
  }
}
