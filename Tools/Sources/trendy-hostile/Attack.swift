import Foundation

/// Attack on a hub by a malicious user, which runs until it is stopped.
struct Attack: Sendable {
  let name: String
  let threads: Int
  let body: @Sendable (_ hub: HostileHub, _ thread: Int, _ stop: Flag) -> Void

  func begin(_ hub: HostileHub, _ stop: Flag) -> [Worker] {
    (0..<threads).map { thread in Worker { while !stop.isRaised { body(hub, thread, stop) } } }
  }

  static let all = [slowRequests, wrongCodes, hugeBodies, idleConnections, extremeNumbers, deepBacklog]

  private static let pause: UInt32 = 20_000

  /// Sends request heads and bodies one byte at a time on as many connections as possible.
  private static let slowRequests = Attack(name: "slow-requests", threads: 4) { hub, thread, stop in
    var connections: [Connection] = []
    let member = hub.hostile[thread]
    while !stop.isRaised {
      if connections.count < 50, let connection = Connection(from: member.address, port: hub.port) {
        connection.send("POST /api/v1/mutations HTTP/1.1\r\nHost: localhost\r\n")
        if connections.count % 2 == 0 {
          connection.send("Authorization: Bearer \(member.token)\r\nContent-Length: 100000\r\n\r\n")
        }
        connections.append(connection)
      }
      // Replaces connections that the hub has closed.
      connections.removeAll { !$0.send("x") }
      usleep(pause)
    }
  }

  private static let wrongCodes = Attack(name: "wrong-codes", threads: 4) { hub, thread, _ in
    let code = String(format: "%04d-%04d", Int.random(in: 0...9999), Int.random(in: 0...9999))
    _ = Connection.ask(
      "POST", "/pair", #"{"code":"\#(code)","device_name":"x"}"#, token: "", from: hub.hostile[thread].address,
      port: hub.port)
  }

  private static let hugeBodies = Attack(name: "huge-bodies", threads: 8) { hub, thread, _ in
    guard let connection = Connection(from: hub.hostile[thread].address, port: hub.port) else {
      usleep(pause)
      return
    }
    connection.send("POST /api/v1/mutations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
    let piece = String(repeating: "x", count: 50_000)
    for _ in 0..<20 where !connection.send(piece) { return }
    _ = connection.status()
  }

  private static let idleConnections = Attack(name: "idle-connections", threads: 4) { hub, thread, stop in
    var connections: [Connection] = []
    while !stop.isRaised {
      guard connections.count < 150, let connection = Connection(from: hub.hostile[thread].address, port: hub.port)
      else {
        usleep(pause)
        continue
      }
      // Half of the connections send one request and stay open.
      if connections.count % 2 == 0 { connection.send("GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n") }
      connections.append(connection)
    }
  }

  /// Sends the limits of each numeric range in every numeric parameter.
  private static let extremeNumbers = Attack(name: "extreme-numbers", threads: 2) { hub, thread, stop in
    let member = hub.hostile[thread]
    let numbers = [
      "9223372036854775807", "9223372036854775806", "-9223372036854775808", "-9223372036854775809",
      "9223372036854775808", "-1",
      "0", "1e308", "NaN", String(repeating: "9", count: 200),
    ]
    func ask(_ method: String, _ path: String, _ body: String = "") {
      if !stop.isRaised {
        _ = Connection.ask(method, path, body, token: member.token, from: member.address, port: hub.port)
      }
    }
    for number in numbers {
      for path in [
        "/changes?since=\(number)", "/changes?since=0&limit=\(number)",
        "/changes?since=0&device=d&seen=\(number)&last_seq=\(number)",
        "/events?limit=\(number)&offset=\(number)", "/snapshot?part=event.\(number).x",
        "/snapshot?part=first&device=\(number)",
        "/me/sync?device=\(number)", "/companions/x/notices?after=\(number)&limit=\(number)",
        "/companions/hub:\(number)/notices?after=\(number)",
      ] { ask("GET", path) }
      ask(
        "POST", "/mutations",
        #"{"device":"d","seen":\#(number),"last_seq":\#(number),"acked_through":\#(number),"mutations":[{"id":"m","seq":\#(number),"#
          + #""entity_type":"event","entity_id":"e","operation":"create","incarnation":\#(number),"#
          + #""fields":{"notes":{"value":"x","base":\#(number),"stamp":\#(number)}}}]}"#)
      ask(
        "POST", "/companions/x/notices",
        #"{"acked_through":\#(number),"notices":[{"seq":\#(number),"kind":"x","at":"\#(number)"}]}"#)
      ask("POST", "/geofences", #"{"name":"x","latitude":\#(number),"longitude":\#(number),"radius":\#(number)}"#)
    }
  }

  /// Sends more writes than the disk can process, from many devices of one user.
  private static let deepBacklog = Attack(name: "deep-backlog", threads: 64) { hub, thread, _ in
    let member = hub.hostile[thread % hub.hostile.count]
    let events = (0..<100).map { number in
      #"{"id":"\#(UUID().uuidString)","event_type_id":"t","timestamp":"2026-01-01T00:00:00Z","notes":"\#(number)"}"#
    }
    _ = Connection.ask(
      "POST", "/event-types", ##"{"id":"t","name":"t","color":"#112233","icon":"x"}"##, token: member.token,
      from: member.address, port: hub.port)
    let status = Connection.ask(
      "POST", "/events/batch", #"{"events":[\#(events.joined(separator: ","))]}"#, token: member.token,
      from: member.address, port: hub.port)
    if status != 200 { usleep(pause) }
  }
}
