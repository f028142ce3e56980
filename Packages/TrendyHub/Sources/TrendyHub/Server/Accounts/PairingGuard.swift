import Foundation

/// Limits attempts to guess pairing codes, which have only eight digits.
///
/// An attempt counts against the subscriber (an IPv4 address or a /64 IPv6 network) and against the code, so an
/// attacker cannot prevent other users from pairing. Attempts are stored before the code is compared, so neither
/// concurrent requests nor several hubs on one database allow more attempts. With five attempts in the ten-minute
/// lifetime of a code, a hundred thousand addresses find a given code with a probability of 1 in 200.
public enum PairingGuard: Sendable {
  /// Maximum number of attempts within ``window`` from one address, and for one code.
  public static let attempts = 5
  /// Period in which attempts are counted.
  public static let window: Duration = .seconds(600)
  /// Maximum number of stored addresses and codes. If it is exceeded, those with the oldest attempts are deleted.
  static let capacity = 10_000

  private static var seconds: Double { Double(window.components.seconds) }

  /// Returns the keys for an attempt: hashes of the address and of the code.
  static func keys(address: String, codeHash: String) -> [String] {
    let subscriber = NetworkAddress(address).map { "\($0.subscriber)" } ?? address
    return ["address \(subscriber)", "code \(codeHash)"].map { SHA256Digest.hexadecimal(of: $0) }
  }

  /// Records an attempt under each key, unless a key has too many.
  ///
  /// - Returns: Time to wait if a key already has too many attempts, otherwise `nil`.
  static func count(_ keys: [String], now: Date, in directory: any HubDirectoryTransaction) throws -> Duration? {
    let recent = try keys.map { key in
      // Ignore times in the future, which were stored by a hub whose clock has since been set back.
      try directory.pairingAttempts(key: key).filter { abs(now.timeIntervalSince($0)) < seconds }
    }
    let waits = recent.filter { $0.count >= attempts }.compactMap { times in
      times.first.map { seconds - now.timeIntervalSince($0) }
    }
    if let longest = waits.max() { return .seconds(min(longest, seconds).rounded(.up)) }
    try directory.deletePairingAttempts(before: now.addingTimeInterval(-seconds), keeping: capacity - keys.count)
    for (key, times) in zip(keys, recent) { try directory.putPairingAttempts(key: key, times + [now]) }
    return nil
  }

  /// Removes the record of a successful attempt.
  static func forgive(_ keys: [String], now: Date, in directory: any HubDirectoryTransaction) throws {
    for key in keys {
      var times = try directory.pairingAttempts(key: key)
      if let place = times.lastIndex(of: now) { times.remove(at: place) }
      try directory.putPairingAttempts(key: key, times)
    }
  }
}
