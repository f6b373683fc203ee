"use strict";

translate();
