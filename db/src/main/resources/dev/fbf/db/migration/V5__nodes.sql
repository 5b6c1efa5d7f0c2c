-- One row for each scope of each node: which processes remember operations of the scope, and until when they did. Written
-- at start, every few seconds while the process runs, and at its end.
CREATE TABLE fbf_node (
  scope        varchar(255) NOT NULL,
  node         uuid         NOT NULL,
  run          uuid         NOT NULL,
  process      text         NOT NULL,
  mode         varchar(10)  NOT NULL,
  routed       boolean      NOT NULL,
  retry_window interval     NOT NULL,
  started_at   timestamptz  NOT NULL,
  seen_at      timestamptz  NOT NULL,
  applied_at   timestamptz,
  applies      boolean      NOT NULL,
  ended        boolean      NOT NULL,
  PRIMARY KEY (scope, node)
);

COMMENT ON TABLE fbf_node IS 'Processes that apply operations, and when they last did: nothing but fbf writes here';
